//! Reads the files of `tests/stages/`: a draw call's directives, then the shaders of its stages.
//!
//! ```text
//! //! draw 6                            vertices; `draw 6 2` two instances of them, `draw 6 2 1 4` from vertex 1 and instance 4 on
//! //! topology patches 3                points (the default), lines, triangles, lines_adjacency, triangles_adjacency;
//!                                       `patches 3 unknown` does not tell the compiler the number
//! //! views 0 2                         the numbers of the views that are drawn (multiview)
//! //! attribute 0 = f32 4: 24 * iota 0 1        a type, 1 to 4 components, then contents as in `crate::data`
//! //! instanced 1 = f32 4: 8 * iota 0 1         one element per instance
//! //! stray 0 = i32 1: 8 * iota 100 9       replaces attribute 0, with indices out of range: see `DrawCase::strayed`
//! //! output position = 4 * f32 ulp 2   what is captured of each vertex, and how it is compared
//! //! output 3.2 = u32                  component 2 of location 3
//! //! draws 3                           equal draw calls of one command, which differ in the number of the draw call
//! //! feedback 2                        buffers that the last shader's own decorations capture outputs to, instead of `output`
//! //! output 1 stream 2 = f32           of another stream
//! //! points 7                          location in which tessellation evaluation outputs u, v, w and the patch's number
//! ```
//!
//! Vulkan does not capture outputs of several views, so such a file has no `output`; the shaders write buffers.
//!
//! `push`, `buffer`, `uniform`, `image`, `texture`, `sampler` and `compare` are as in [`crate::case`]. A line `//@ vertex`, `//@ tess_control`,
//! `//@ tess_eval` or `//@ geometry` begins a shader in GLSL. `//@ twin` begins a vertex shader that lavapipe, which has no attributes of
//! doubles, runs instead: an attribute of doubles is for it a `u32` attribute of each 16 bytes, at consecutive locations.

use crestline_judges::lavapipe::{Attribute, AttributeType, Captured, Topology, VertexStage};

use crate::case::{Case, CaseError};
use crate::compare::Rule;
use crate::data;

/// A draw call.
#[derive(Debug, Clone)]
pub struct DrawCase {
    /// Vertices of an instance.
    pub vertices: u32,
    /// Instances.
    pub instances: u32,
    /// The first vertex.
    pub first_vertex: u32,
    /// The first instance.
    pub first_instance: u32,
    /// The primitives that the vertices form.
    pub topology: Topology,
    /// Whether the compiler gets the number of control points of a patch.
    pub knows_patch: bool,
    /// The numbers of the views that are drawn, in ascending order; empty without views.
    pub views: Vec<u32>,
    /// The attributes.
    pub attributes: Vec<Attribute>,
    /// Attributes with indices out of range.
    pub strays: Vec<Attribute>,
    /// The captured outputs.
    pub outputs: Vec<Output>,
    /// Number of equal draw calls.
    pub draws: u32,
    /// Number of buffers that the last shader's own decorations capture outputs to.
    pub feedback: usize,
    /// The location in which a tessellation evaluation shader outputs its point.
    pub points: Option<u32>,
    /// Buffers, images, push constants.
    pub resources: Case,
    /// The vertex shader that lavapipe runs instead.
    pub twin: Option<String>,
    /// The shaders, in the order of the pipeline.
    pub shaders: Vec<(VertexStage, String)>,
}

/// A captured output.
#[derive(Debug, Clone)]
pub struct Output {
    /// The output.
    pub what: Captured,
    /// Its stream.
    pub stream: usize,
    /// How it is compared, vertex by vertex.
    pub rule: Rule,
    /// Its size in bytes.
    pub bytes: u32,
}

/// The stages by name, in the order of the pipeline.
const STAGES: [(&str, VertexStage); 4] = [
    ("vertex", VertexStage::Vertex),
    ("tess_control", VertexStage::TessControl),
    ("tess_eval", VertexStage::TessEval),
    ("geometry", VertexStage::Geometry),
];

impl DrawCase {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The first line that cannot be read, or line 1 if the draw call, an output or the vertex shader is missing.
    pub fn parse(text: &str) -> Result<DrawCase, CaseError> {
        let mut case = DrawCase {
            vertices: 0,
            instances: 1,
            first_vertex: 0,
            first_instance: 0,
            topology: Topology::Points,
            knows_patch: true,
            views: Vec::new(),
            attributes: Vec::new(),
            strays: Vec::new(),
            outputs: Vec::new(),
            draws: 1,
            feedback: 0,
            points: None,
            resources: Case::empty(),
            twin: None,
            shaders: Vec::new(),
        };
        let mut in_twin = false;
        for (index, line) in text.lines().enumerate() {
            let fail = |message| CaseError { line: index + 1, message };
            if let Some(name) = line.strip_prefix("//@ ") {
                in_twin = name.trim() == "twin";
                if in_twin {
                    case.twin = Some(String::new());
                    continue;
                }
                let row = STAGES.iter().find(|row| row.0 == name.trim());
                let row = row.ok_or_else(|| fail(format!("{name:?} is no stage")))?;
                case.shaders.push((row.1, String::new()));
            } else if let Some(shader) = case.current(in_twin) {
                shader.push_str(line);
                shader.push('\n');
            } else if let Some(directive) = line.strip_prefix("//!") {
                let directive = directive.trim();
                let (word, rest) =
                    directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
                case.directive(word, rest.trim()).map_err(fail)?;
            }
        }
        let whole = |message: &str| Err(CaseError { line: 1, message: message.to_owned() });
        case.shaders.sort_by_key(|(stage, _)| *stage);
        match case {
            _ if case.vertices == 0 => whole("no `//! draw N` directive"),
            _ if !case.outputs.is_empty() && !case.views.is_empty() => {
                whole("expected no `//! output` directive of a draw call with views")
            }
            _ if case.feedback > 0 && !(case.outputs.is_empty() && case.views.is_empty()) => {
                whole("expected `//! feedback` alone, without outputs and views")
            }
            _ if case.outputs.is_empty() && case.views.is_empty() && case.feedback == 0 => {
                whole("no `//! output NAME = RULE` directive")
            }
            _ if case.draws > 1 && case.has(VertexStage::TessEval) => {
                whole("expected one draw call with tessellation")
            }
            _ if !case.has(VertexStage::Vertex) => whole("no `//@ vertex` shader"),
            _ if case.has(VertexStage::TessEval) != case.points.is_some() => {
                whole("`//! points LOCATION` belongs to tessellation evaluation shaders")
            }
            _ => Ok(case),
        }
    }

    /// The shader whose lines are read: the twin or the last one of a stage.
    fn current(&mut self, in_twin: bool) -> Option<&mut String> {
        let twin = self.twin.as_mut().filter(|_| in_twin);
        twin.or(self.shaders.last_mut().map(|(_, shader)| shader))
    }

    /// Whether there is a shader of the stage.
    pub fn has(&self, stage: VertexStage) -> bool {
        self.shaders.iter().any(|(found, _)| *found == stage)
    }

    /// The draw call with indices out of range; `None` if the case has none. The captured outputs must not depend on
    /// these indices: they are compared with those that lavapipe, which may crash with them, captures with the normal
    /// attributes.
    pub fn strayed(&self) -> Option<DrawCase> {
        if self.strays.is_empty() {
            return None;
        }
        let mut case = self.clone();
        for stray in std::mem::take(&mut case.strays) {
            case.attributes.retain(|attribute| attribute.location != stray.location);
            case.attributes.push(stray);
        }
        Some(case)
    }

    /// Reads one directive.
    fn directive(&mut self, word: &str, rest: &str) -> Result<(), String> {
        match word {
            "draw" => {
                let numbers: Result<Vec<u32>, _> =
                    rest.split_whitespace().map(str::parse).collect();
                let numbers = numbers.map_err(|_| format!("{rest:?}: expected numbers"))?;
                let number = |at: usize, missing| numbers.get(at).copied().unwrap_or(missing);
                self.vertices = number(0, 0);
                self.instances = number(1, 1);
                (self.first_vertex, self.first_instance) = (number(2, 0), number(3, 0));
            }
            "topology" => {
                let mut words: Vec<_> = rest.split_whitespace().collect();
                if let ["patches", _, "unknown"] = words[..] {
                    self.knows_patch = false;
                    words.truncate(2);
                }
                self.topology = match words[..] {
                    ["points"] => Topology::Points,
                    ["lines"] => Topology::Lines,
                    ["lines_adjacency"] => Topology::LinesAdjacency,
                    ["triangles"] => Topology::Triangles,
                    ["triangles_adjacency"] => Topology::TrianglesAdjacency,
                    ["patches", n] => {
                        Topology::Patches(n.parse().map_err(|_| format!("{n:?} is no number"))?)
                    }
                    _ => return Err(format!("{rest:?} is no topology")),
                };
            }
            "views" => {
                let numbers = rest.split_whitespace().map(str::parse);
                let numbers: Result<Vec<u32>, _> = numbers.collect();
                self.views = numbers.map_err(|_| format!("{rest:?}: expected numbers"))?;
                if !self.views.is_sorted() || self.views.iter().any(|view| *view > 31) {
                    return Err(format!("{rest:?}: expected ascending numbers up to 31"));
                }
            }
            "draws" => {
                let count = rest.parse().ok().filter(|count| (1..=16).contains(count));
                self.draws = count.ok_or(format!("{rest:?}: expected 1 to 16 draw calls"))?;
            }
            "feedback" => {
                let count = rest.parse().ok().filter(|count| (1..=4).contains(count));
                self.feedback = count.ok_or(format!("{rest:?}: expected 1 to 4 buffers"))?;
            }
            "attribute" | "instanced" => {
                let attribute = parse_attribute(rest, word == "instanced")?;
                self.attributes.push(attribute);
            }
            "stray" => self.strays.push(parse_attribute(rest, false)?),
            "output" => self.outputs.push(parse_output(rest)?),
            "points" => {
                let location = rest.parse().map_err(|_| format!("{rest:?} is no location"))?;
                self.points = Some(location);
            }
            _ => return self.resources.directive(word, rest),
        }
        Ok(())
    }
}

/// Reads `LOCATION = TYPE COMPONENTS: CONTENTS`.
fn parse_attribute(text: &str, per_instance: bool) -> Result<Attribute, String> {
    let expected = || format!("{text:?}: expected LOCATION = TYPE COMPONENTS: CONTENTS");
    let (location, rest) = text.split_once('=').ok_or_else(expected)?;
    let (form, contents) = rest.split_once(':').ok_or_else(expected)?;
    let [name, components] = form.split_whitespace().collect::<Vec<_>>()[..] else {
        return Err(expected());
    };
    let ty = match name {
        "f32" => AttributeType::F32,
        "i32" => AttributeType::I32,
        "u32" => AttributeType::U32,
        "f64" => AttributeType::F64,
        _ => return Err(format!("{name:?} is no type of attributes")),
    };
    let location: u32 = location.trim().parse().map_err(|_| expected())?;
    let components = components.parse().map_err(|_| expected())?;
    let contents = data::bytes(&format!("{name} {}", contents.trim()), u64::from(location) + 1)?;
    Ok(Attribute { location, ty, components, per_instance, contents })
}

/// Reads `NAME [stream N] = RULE`.
fn parse_output(text: &str) -> Result<Output, String> {
    let (left, rule) = text.split_once('=').ok_or("expected `NAME = RULE`")?;
    let (name, stream) = match left.split_once("stream") {
        Some((name, stream)) => {
            (name.trim(), stream.trim().parse().map_err(|_| format!("{stream:?} is no stream"))?)
        }
        None => (left.trim(), 0),
    };
    let what = match name {
        "position" => Captured::Position,
        "point_size" => Captured::PointSize,
        "clip_distance" => Captured::ClipDistance,
        "cull_distance" => Captured::CullDistance,
        "primitive_id" => Captured::PrimitiveId,
        "layer" => Captured::Layer,
        "viewport_index" => Captured::ViewportIndex,
        _ => {
            let (location, component) = name.split_once('.').unwrap_or((name, "0"));
            let number = |text: &str| text.parse().map_err(|_| format!("{name:?} is no output"));
            Captured::Location { location: number(location)?, component: number(component)? }
        }
    };
    let rule = Rule::parse(rule)?;
    let bytes = rule.record_bytes() as u32;
    if bytes == 0 || !bytes.is_multiple_of(4) {
        return Err(format!("{bytes} bytes: expected elements of 32 or 64 bits"));
    }
    Ok(Output { what, stream, rule, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_and_shaders_fill_the_case() {
        let case = DrawCase::parse(
            "//! draw 6 2\n//! topology triangles\n//! attribute 1 = f32 4: 24 * iota 0 1\n\
             //! output position = 4 * f32 ulp 2\n//! output 3.2 stream 1 = u32\n\
             //! push = u32 5\n//@ geometry\nG\n//@ vertex\nV\nW\n",
        )
        .unwrap();
        assert_eq!((case.vertices, case.instances), (6, 2));
        assert_eq!(case.attributes[0].contents.len(), 96);
        assert_eq!(case.outputs[0].bytes, 16);
        assert_eq!(case.outputs[1].what, Captured::Location { location: 3, component: 2 });
        assert_eq!(case.outputs[1].stream, 1);
        assert_eq!(case.resources.push, [5, 0, 0, 0]);
        assert_eq!(case.shaders[0], (VertexStage::Vertex, "V\nW\n".to_owned()));
        assert_eq!(case.shaders[1], (VertexStage::Geometry, "G\n".to_owned()));
    }

    #[test]
    fn mistakes_name_their_line() {
        for (text, line, part) in [
            ("//! draw 3", 1, "no `//! output"),
            ("//! output 0 = f32", 1, "no `//! draw"),
            ("//! draw x", 1, "expected numbers"),
            ("\n//! topology quads", 2, "no topology"),
            ("//! attribute 0 = f16 4: 1", 1, "no type of attributes"),
            ("//! output 0 = u8", 1, "expected elements of 32"),
            ("//@ fragment", 1, "no stage"),
            ("//! frob", 1, "no directive"),
        ] {
            let error = DrawCase::parse(text).unwrap_err();
            assert_eq!(error.line, line, "{text:?}: {error}");
            assert!(error.message.contains(part), "{text:?}: {error}");
        }
    }
}
