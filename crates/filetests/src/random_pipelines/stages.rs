//! The text of each stage.

use super::{Kind, TOTALS, Tessellator, Varying, Writer, end};

/// Varyings of fragment shaders that are interpolated, at most.
const SMOOTH: usize = 1;

impl Writer {
    /// The begin of a stage: declarations that all stages have.
    fn stage(&mut self, name: &str) {
        if name != "fragment" {
            self.line(&format!("//@ {name}"));
        }
        self.line("#version 460");
        if self.features.small {
            self.line("#extension GL_EXT_shader_explicit_arithmetic_types : require");
        }
        if self.features.layer {
            self.line("#extension GL_ARB_shader_viewport_layer_array : require");
        }
        self.line(&format!(
            "layout(set = 0, binding = 0) buffer Data {{ uint totals[{TOTALS}]; }};"
        ));
        self.reads.clear();
        self.returns = matches!(name, "vertex" | "tess_eval" | "fragment");
        if self.features.constants {
            self.lines(
                "layout(push_constant) uniform Push { float pf[4]; uint pu[4]; };
                layout(set = 0, binding = 1) uniform Floats { vec4 uf[8]; };
                layout(set = 0, binding = 2) uniform Words { uvec4 uw[8]; };
                layout(set = 0, binding = 3) readonly buffer Table { int table[16]; };",
            );
            for (kind, read) in [
                (Kind::Float, "pf[2]"),
                (Kind::Float, "pf[u1 & 3u]"),
                (Kind::Uint, "pu[1]"),
                (Kind::Uint, "pu[u0 & 3u]"),
                (Kind::Float, "uf[5].z"),
                (Kind::Float, "uf[u2 & 7u].y"),
                (Kind::Uint, "uw[2].w"),
                (Kind::Uint, "uw[u0 & 7u].x"),
                (Kind::Int, "table[u1 & 15u]"),
                (Kind::Int, "table[3]"),
            ] {
                self.reads.push((kind, read.to_owned()));
            }
        }
        self.lines(
            "uint churn(inout uint a, uint b) { a = a * 5u + b; return a >> 3u; }
            vec4 spot(uint n) {
            vec2 at = vec2(float(n & 31u) + 0.25, float(n >> 5u & 31u) + 0.375);
            return vec4(at / 16.0 - 1.0, 0.5, 1.0);
            }",
        );
    }

    fn declare(&mut self, varyings: &[Varying], storage: &str, name: &str, vertices: &str) {
        for (at, varying) in varyings.iter().enumerate() {
            let text = varying.declaration(storage, &format!("{name}{at}"), vertices);
            self.line(&text);
        }
    }

    /// Adds expressions that read varyings; `vertices` are the indices of vertices, with brackets.
    fn readable(&mut self, varyings: &[Varying], name: &str, vertices: &[String]) {
        for (at, varying) in varyings.iter().enumerate() {
            for vertex in vertices {
                let elements = match varying.count {
                    0 => vec![String::new()],
                    count => vec![format!("[{}]", count - 1), format!("[u0 % {count}u]")],
                };
                for element in elements {
                    let comp = &"xyzw"[self.random.below(varying.comps)..][..1];
                    let comp = match varying.comps {
                        1 => String::new(),
                        // A component whose number is known at run time only.
                        comps if self.random.below(4) == 0 => format!("[u1 % {comps}u]"),
                        _ => format!(".{comp}"),
                    };
                    self.reads.push((varying.kind, format!("{name}{at}{vertex}{element}{comp}")));
                }
            }
        }
    }

    /// The begin of `main`: variables with values that depend on the invocation's numbers `a` and `b`.
    fn begin(&mut self, a: &str, b: &str) {
        self.line("void main() {");
        self.indent = 1;
        self.lines(&format!(
            "uint u0 = uint({a}), u1 = uint({b}) * 2654435761u, u2 = 77u;
            int i0 = int({b}) - 9, i1 = int({a}) * 3, i2 = 12;
            float f0 = float(u0 & 63u), f1 = float(i1 & 255), f2 = 5.0;
            uint list[4] = uint[4](u0, 7u, u1, 3u);"
        ));
        if self.features.doubles {
            self.line("double d0 = double(u0 & 127u), d1 = double(i1 & 255), d2 = 3.0LF;");
        }
        if self.features.small {
            self.lines(
                "uint16_t h0 = uint16_t(u0), h1 = uint16_t(u1 >> 9u);
                int8_t b0 = int8_t(i1), b1 = int8_t(i0);
                float16_t q0 = float16_t(int(u0 & 31u));",
            );
        }
    }

    fn finish(&mut self) {
        self.indent = 0;
        self.line("}");
    }

    /// The declarations of built-in outputs of the last stage.
    fn last_declarations(&mut self, last: bool) {
        if last && self.features.clip_distances > 0 {
            let count = self.features.clip_distances;
            self.line(&format!("out float gl_ClipDistance[{count}];"));
        }
    }

    /// Stores the built-in outputs of a vertex; those of the last stage are captured.
    fn builtins(&mut self, last: bool, position: &str) {
        if !last {
            self.line(&format!("gl_Position = {position};"));
            return;
        }
        self.line("gl_Position = spot(u0 * 37u + u1);");
        let count = self.features.clip_distances;
        for number in 0..count {
            // Nothing is clipped.
            self.line(&format!("gl_ClipDistance[{number}] = f{} + 1.0;", number % 3));
        }
        if count > 1 {
            let value = self.float();
            self.line(&format!(
                "gl_ClipDistance[u1 % {count}u] = float(int({value}) & 1023) + 1.0;"
            ));
        }
        if self.features.point_size || self.features.picture {
            self.line("gl_PointSize = 1.0 + float(u0 & 3u);");
        }
        if self.features.layer {
            self.line("gl_Layer = int(u1 & 15u);");
            self.line("gl_ViewportIndex = int(u0 % 3u);");
        }
    }

    pub(super) fn vertex(&mut self, outputs: &[Varying], last: bool) {
        self.stage("vertex");
        self.lines(
            "layout(location = 0) in vec4 place;
            layout(location = 1) in ivec4 number;
            layout(location = 2) in uvec2 own;",
        );
        self.declare(outputs, "out", "v", "");
        self.last_declarations(last);
        for comp in ["x", "y", "z", "w"] {
            self.reads.push((Kind::Float, format!("place.{comp}")));
            self.reads.push((Kind::Int, format!("number.{comp}")));
        }
        self.reads.push((Kind::Int, "number[u0 & 3u]".to_owned()));
        for read in
            ["own.x", "own.y", "uint(gl_BaseVertex)", "uint(gl_BaseInstance)", "uint(gl_DrawID)"]
        {
            self.reads.push((Kind::Uint, read.to_owned()));
        }
        self.begin("gl_VertexIndex", "gl_InstanceIndex");
        self.builtins(last, "place");
        self.clear(outputs, "v", "");
        self.body(outputs, "v", "");
        self.finish();
    }

    pub(super) fn control(
        &mut self,
        inputs: &[Varying],
        outputs: &[Varying],
        patch: &[Varying],
        tessellator: &Tessellator,
    ) {
        let vertices = tessellator.patch_vertices;
        let limit = *self.random.pick(&[4, 8, 20]);
        let count = 1 + self.random.below(limit);
        self.stage("tess_control");
        self.line(&format!("layout(vertices = {count}) out;"));
        self.declare(inputs, "in", "v", "[]");
        self.declare(outputs, "out", "c", "[]");
        self.declare(patch, "patch out", "p", "");
        let own = "[gl_InvocationID]";
        let indices =
            ["0".to_owned(), format!("gl_InvocationID % {vertices}"), format!("u1 % {vertices}u")];
        let indices: Vec<String> = indices.iter().map(|index| format!("[{index}]")).collect();
        self.readable(inputs, "v", &indices);
        self.reads.push((Kind::Float, format!("gl_in[u2 % {vertices}u].gl_Position.y")));
        self.reads.push((Kind::Int, "gl_PatchVerticesIn".to_owned()));
        self.begin("gl_InvocationID", "gl_PrimitiveID");
        self.line(&format!(
            "gl_out{own}.gl_Position = gl_in[gl_InvocationID % {vertices}].gl_Position;"
        ));
        self.clear(outputs, "c", own);
        self.body(outputs, "c", own);
        let phases = 1 + self.random.below(3);
        let writer = self.random.below(count);
        for phase in 0..phases {
            self.line("barrier();");
            // Control points of others are read into variables, before any of them changes.
            let (to, from) = (self.random.below(3), self.random.below(count));
            let at = self.random.below(outputs.len());
            let Varying { comps, count: elements, .. } = outputs[at];
            let element = if elements > 0 { "[1]" } else { "" };
            let comp = if comps > 1 { ".y" } else { "" };
            self.line(&format!(
                "u{to} += uint(int(c{at}[(gl_InvocationID + {from}) % {count}]{element}{comp}));"
            ));
            if phase > 0 && patch[0].count == 0 {
                let comp = if patch[0].comps > 1 { ".x" } else { "" };
                self.line(&format!("i{to} ^= int(p0{comp});"));
            }
            self.line("barrier();");
            if phase + 1 < phases {
                let at = self.random.below(outputs.len());
                self.store(at, outputs, "c", own);
                self.line(&format!("if (gl_InvocationID == {writer}) {{"));
                self.indent = 2;
                if phase == 0 {
                    self.clear(patch, "p", "");
                }
                self.store(0, patch, "p", "");
                self.indent = 1;
                self.line("}");
            }
        }
        self.line(&format!("if (gl_InvocationID == {writer}) {{"));
        self.indent = 2;
        self.clear(patch, "p", "");
        self.body(patch, "p", "");
        let [a, b, c] = [(); 3].map(|()| 1 + self.random.below(3));
        let part = *self.random.pick(&["0", "0", "5"]);
        self.lines(&format!(
            "gl_TessLevelOuter[0] = {a}.{part};
            gl_TessLevelOuter[1] = {b}.0 + float(gl_PrimitiveID & 1);
            gl_TessLevelOuter[2] = {c}.{part};
            gl_TessLevelOuter[3] = {a}.0;
            gl_TessLevelInner[0] = {b}.0;
            gl_TessLevelInner[1] = {c}.0;"
        ));
        self.indent = 1;
        self.line("}");
        self.finish();
    }

    pub(super) fn evaluation(
        &mut self,
        inputs: &[Varying],
        patch: &[Varying],
        outputs: &[Varying],
        points: usize,
        tessellator: &Tessellator,
        last: bool,
    ) {
        self.stage("tess_eval");
        let Tessellator { domain, spacing, order, point_mode, .. } = *tessellator;
        let mode = if point_mode { ", point_mode" } else { "" };
        self.line(&format!("layout({domain}, {spacing}, {order}{mode}) in;"));
        self.declare(inputs, "in", "c", "[]");
        self.declare(patch, "patch in", "p", "");
        self.declare(outputs, "out", "e", "");
        self.last_declarations(last);
        self.line(&format!("layout(location = {points}) out vec4 where;"));
        let indices = ["[0]".to_owned(), "[u1 % uint(gl_PatchVerticesIn)]".to_owned()];
        self.readable(inputs, "c", &indices);
        self.readable(patch, "p", &[String::new()]);
        self.reads.push((Kind::Float, "gl_in[0].gl_Position.z".to_owned()));
        self.begin("gl_TessCoord.x * 8.0", "gl_PrimitiveID");
        self.line("f2 = floor(gl_TessCoord.y * 16.0);");
        self.line("u1 += uint(f2) * 977u;");
        self.builtins(last, "gl_in[0].gl_Position");
        self.line("where = vec4(gl_TessCoord, float(gl_PrimitiveID));");
        self.clear(outputs, "e", "");
        self.body(outputs, "e", "");
        self.finish();
    }

    pub(super) fn geometry(
        &mut self,
        inputs: &[Varying],
        outputs: &[Varying],
        (input, count): (&str, usize),
        output: &str,
        streams: usize,
    ) {
        self.stage("geometry");
        let invocations = *self.random.pick(&[1, 1, 2, 3, 9]);
        let limit = *self.random.pick(&[3, 9, if self.features.doubles { 15 } else { 40 }]);
        let most = 1 + self.random.below(limit);
        let name = if self.random.below(2) == 0 { "v" } else { "w" };
        self.lines(&format!(
            "layout({input}, invocations = {invocations}) in;
            layout({output}, max_vertices = {most}) out;"
        ));
        self.declare(inputs, "in", name, "[]");
        self.declare(outputs, "out", "g", "");
        self.last_declarations(true);
        let indices = ["0".to_owned(), format!("{}", count - 1), format!("u1 % {count}u")];
        let indices: Vec<String> = indices.iter().map(|index| format!("[{index}]")).collect();
        self.readable(inputs, name, &indices);
        self.reads.push((Kind::Float, format!("gl_in[u2 % {count}u].gl_Position.x")));
        self.begin("gl_InvocationID", "gl_PrimitiveIDIn");
        let end = match self.random.below(3) {
            0 => format!("{most}"),
            1 => format!("int(u1 % {}u)", most + 1),
            _ => format!("int(uint({}) % {}u)", self.uint(1), most + 1),
        };
        self.line(&format!("int end = {end};"));
        self.line("for (int round = 0; round < end; ++round) {");
        self.indent = 2;
        self.line("u2 += uint(round);");
        self.line("u0 += 11u;");
        for stream in (0..streams).rev() {
            if streams > 1 {
                let condition = self.condition();
                let head = match stream {
                    0 => "{".to_owned(),
                    _ => format!("if ({condition}) {{"),
                };
                self.line(&head);
                self.indent = 3;
            }
            if stream == 0 {
                self.builtins(true, "");
            }
            self.clear(outputs, "g", "");
            if streams > 1 {
                for at in 0..outputs.len() {
                    self.store(at, outputs, "g", "");
                }
                self.line(&format!("EmitStreamVertex({stream});"));
                self.line(if stream > 0 { "continue;" } else { "" });
                self.indent = 2;
                self.line("}");
            } else {
                self.body(outputs, "g", "");
                self.line("EmitVertex();");
            }
        }
        if streams == 1 && self.random.below(2) == 0 {
            let condition = self.condition();
            self.line(&format!("if ({condition}) EndPrimitive();"));
        }
        self.indent = 1;
        self.line("}");
        if streams == 1 && self.random.below(3) == 0 {
            self.line("EndPrimitive();");
        }
        self.finish();
    }

    /// A fragment shader whose inputs are `inputs`.
    pub(super) fn fragment(&mut self, inputs: &[Varying]) {
        self.stage("fragment");
        let is_smooth = |varying: &&Varying| varying.kind == Kind::Float;
        let smooth: Vec<usize> =
            inputs.iter().filter(is_smooth).map(|varying| varying.location).take(SMOOTH).collect();
        let mut copies = vec!["0.0".to_owned(); 4];
        let mut flat = Vec::new();
        for (at, varying) in inputs.iter().enumerate() {
            let varying = Varying { stream: 0, ..*varying };
            let is_smooth = smooth.contains(&varying.location);
            let storage = if is_smooth { "in" } else { "flat in" };
            let name = format!("{}{at}", if is_smooth { "s" } else { "n" });
            self.line(&varying.declaration(storage, &name, ""));
            if is_smooth {
                let first = &"xyzw"[..1];
                copies[0] = if varying.comps > 1 { format!("{name}.{first}") } else { name };
            } else {
                flat.push((at, varying));
            }
        }
        self.lines(
            "layout(location = 0) out vec4 colour;
            layout(location = 1) out uvec4 result;",
        );
        for (at, varying) in flat {
            let comp = &"xyzw"[self.random.below(varying.comps)..][..1];
            let comp = if varying.comps > 1 { format!(".{comp}") } else { String::new() };
            self.reads.push((varying.kind, format!("n{at}{comp}")));
        }
        self.begin("gl_FragCoord.x", "gl_FragCoord.y");
        let outputs = [Varying { kind: Kind::Uint, comps: 4, count: 0, location: 1, stream: 0 }];
        debug_assert!(end(inputs) < 32);
        self.line(&format!("colour = vec4({});", copies.join(", ")));
        self.line("uvec4 t0 = uvec4(u0, u1, u2, 9u);");
        self.returns = false;
        self.body(&outputs, "t", "");
        if self.random.below(3) == 0 {
            let condition = self.condition();
            self.line(&format!("if ({condition}) discard;"));
            self.statement(2, &outputs, "t", "");
        }
        let value = self.float();
        self.line(&format!("colour.w = float(int({value}) & 1023);"));
        self.line("result = t0;");
        self.finish();
    }
}
