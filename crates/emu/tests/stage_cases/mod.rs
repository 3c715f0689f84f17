//! Runs the oracle pack's vertex, tessellation and geometry cases with programs of any compiler. The results must be
//! those that the pack expects.

use crestline_device::SurfaceFormat;
use crestline_emu::{
    Attribute, Draw, Emitted, Filter, ImageDimension, ImageShape, Kernel, Options, Patch,
    Primitive, Report, Resources, Sampler, SlotValues,
};
use crestline_judges::oracle::vec4::{CaseOutput, ShaderStage, StageCase, StageData};
use crestline_program::Varying;

/// Makes the program of a case for a variant and stage.
pub(crate) type Loader<'a> = dyn Fn(&StageCase, &str, ShaderStage) -> Result<Kernel, String> + 'a;

const POSITION: Varying = Varying::Position;
const LOCATION_0: Varying = Varying::Location { location: 0 };
const LOCATION_1: Varying = Varying::Location { location: 1 };
const PATCH_1: Varying = Varying::Patch { location: 1 };

fn resources(case: &StageCase) -> Result<Resources, String> {
    let mut resources = Resources::new();
    for resource in &case.resources {
        let at = resource.resource;
        match &resource.image {
            None => resources.set_buffer(at, &resource.contents),
            Some(layout) => {
                let format = SurfaceFormat::from_glsl(&layout.format)
                    .ok_or_else(|| format!("image format {}", layout.format))?;
                let (width, height) = (layout.width, layout.height);
                assert_eq!(layout.row_pitch, width * format.bytes(), "tightly packed");
                let dimension = ImageDimension::D2;
                let shape = ImageShape {
                    dimension,
                    format,
                    width,
                    height,
                    depth: 1,
                    levels: 1,
                    samples: 1,
                };
                resources
                    .set_image(at, shape, &resource.contents)
                    .map_err(|error| error.to_string())?;
            }
        }
    }
    for sampler in &case.samplers {
        let filter = if sampler.linear { Filter::Linear } else { Filter::Nearest };
        let normalized = sampler.normalized;
        resources
            .set_sampler(sampler.resource, Sampler { filter, normalized, ..Sampler::default() });
    }
    resources.set_push_constants(&case.push_constants);
    Ok(resources)
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

/// Groups of eight floats: position and location 0.
fn pairs(bytes: &[u8]) -> Vec<SlotValues> {
    floats(bytes)
        .as_chunks::<8>()
        .0
        .iter()
        .map(|values| {
            SlotValues::new()
                .with_floats(POSITION, &values[..4])
                .with_floats(LOCATION_0, &values[4..])
        })
        .collect()
}

/// The first `count` components of a varying.
fn read(values: &SlotValues, varying: Varying, count: usize) -> Result<Vec<f32>, String> {
    let dwords = values.get(varying);
    dwords[..count]
        .iter()
        .map(|dword| dword.map(f32::from_bits).ok_or_else(|| format!("{varying} is not written")))
        .collect()
}

fn compare(actual: &[f32], expected: &[f32], tolerance: f32) -> Result<(), String> {
    if actual.len() != expected.len() {
        return Err(format!("{} values instead of {}", actual.len(), expected.len()));
    }
    let differs = |(a, e): (&f32, &f32)| (a - e).abs() > tolerance + tolerance * e.abs();
    match actual.iter().zip(expected).position(differs) {
        None => Ok(()),
        Some(i) => Err(format!("value {i}: {} instead of {}", actual[i], expected[i])),
    }
}

fn check_output(output: &CaseOutput, vertices: &[SlotValues]) -> Result<(), String> {
    let mut bytes = Vec::new();
    for (vertex, values) in vertices.iter().enumerate() {
        let dwords = values.get(output.varying);
        for dword in &dwords[output.first..output.first + output.components] {
            let dword =
                dword.ok_or_else(|| format!("vertex {vertex}: {} not written", output.varying))?;
            bytes.extend(dword.to_le_bytes());
        }
    }
    output.expected.compare(&bytes).map_err(|error| format!("{}: {error}", output.varying))
}

fn run_vertex(
    load: &Loader<'_>,
    case: &StageCase,
    variant: &str,
    resources: &mut Resources,
    options: &Options,
) -> Result<Vec<Report>, String> {
    let StageData::Vertex { vertices, attributes, outputs } = &case.data else { return Ok(vec![]) };
    let kernel = load(case, variant, ShaderStage::Vertex)?;
    for attribute in attributes {
        let format = attribute.format.parse().map_err(|error| format!("{error}"))?;
        let (stride, bytes) = (attribute.stride, attribute.contents.clone());
        let attribute_data = Attribute { format, stride, per_instance: false, bytes };
        resources.set_attribute(attribute.location, attribute_data);
    }
    let (values, report) = kernel
        .run_vertices(&Draw::vertices(*vertices), resources, options, None)
        .map_err(|error| error.to_string())?;
    assert_eq!(values.len(), *vertices as usize);
    for output in outputs {
        check_output(output, &values)?;
    }
    for resource in &case.resources {
        let Some(expected) = &resource.expected else { continue };
        let actual = resources.buffer(resource.resource).unwrap_or_default();
        expected.compare(&actual).map_err(|error| format!("{}: {error}", resource.resource))?;
    }
    Ok(vec![report])
}

fn run_geometry(
    load: &Loader<'_>,
    case: &StageCase,
    variant: &str,
    resources: &Resources,
    options: &Options,
) -> Result<Vec<Report>, String> {
    let StageData::Geometry { input, expected, counts } = &case.data else { return Ok(vec![]) };
    let kernel = load(case, variant, ShaderStage::Geometry)?;
    let vertices_in = match case.name.as_str() {
        "gs_triangles" => 3,
        "gs_instanced" => 2,
        _ => 1,
    };
    let primitives: Vec<Primitive> = (0..)
        .zip(pairs(input).chunks(vertices_in))
        .map(|(id, vertices)| Primitive { vertices: vertices.to_vec(), id })
        .collect();
    let (outputs_of_primitives, report) = kernel
        .run_primitives(&primitives, resources, options, None)
        .map_err(|error| error.to_string())?;
    // What the expected file holds of each vertex besides the position.
    let outputs: &[(Varying, usize)] = match case.name.as_str() {
        "gs_triangles" => &[(LOCATION_0, 4), (LOCATION_1, 1)],
        "gs_instanced" => &[(LOCATION_0, 4)],
        _ => &[(LOCATION_0, 2)],
    };
    let size = 4 + outputs.iter().map(|(_, count)| count).sum::<usize>();
    let expected = floats(expected);
    let objects: Vec<&Vec<Emitted>> =
        outputs_of_primitives.iter().flat_map(|output| &output.invocations).collect();
    let slots = expected.len() / size / objects.len();
    for (number, object) in objects.iter().enumerate() {
        let wanted = match counts.get(number) {
            Some([count, cuts]) => {
                // A cut after the last vertex is optional.
                let inner = |bits: u32| bits & ((1 << (count - 1)) - 1);
                let got = object.iter().rev().fold(0, |bits, v| bits << 1 | u32::from(v.cut));
                if inner(got) != inner(*cuts) {
                    return Err(format!("primitive {number}: cuts {got:#b} instead of {cuts:#b}"));
                }
                *count as usize
            }
            None => slots,
        };
        if object.len() != wanted {
            return Err(format!("primitive {number}: {} vertices, not {wanted}", object.len()));
        }
        for (vertex, emitted) in object.iter().enumerate() {
            let mut actual = read(&emitted.values, POSITION, 4)?;
            for (varying, count) in outputs {
                actual.extend(read(&emitted.values, *varying, *count)?);
            }
            let first = (number * slots + vertex) * size;
            compare(&actual, &expected[first..first + size], 0.0)
                .map_err(|error| format!("primitive {number}, vertex {vertex}: {error}"))?;
        }
    }
    Ok(vec![report])
}

fn run_tessellation(
    load: &Loader<'_>,
    case: &StageCase,
    variant: &str,
    resources: &Resources,
    options: &Options,
) -> Result<Vec<Report>, String> {
    let StageData::Tessellation { input, patch: wanted, levels, points, expected } = &case.data
    else {
        return Ok(vec![]);
    };
    let control = load(case, variant, ShaderStage::TessControl)?;
    let patches = [Primitive { vertices: pairs(input), id: 0 }];
    let (patches, control_report) = control
        .run_patches(&patches, resources, options, None)
        .map_err(|error| error.to_string())?;
    let patch = &patches[0];
    check_patch(patch, wanted, levels)?;

    let eval = load(case, variant, ShaderStage::TessEval)?;
    let points: Vec<[f32; 3]> =
        floats(points).as_chunks::<2>().0.iter().map(|[u, v]| [*u, *v, 0.0]).collect();
    let (values, eval_report) = eval
        .run_points(patch, &points, resources, options, None)
        .map_err(|error| error.to_string())?;
    let mut actual = Vec::new();
    for values in &values {
        actual.extend(read(values, POSITION, 4)?);
        actual.extend(read(values, LOCATION_0, 4)?);
    }
    compare(&actual, &floats(expected), 1e-5).map_err(|error| format!("points: {error}"))?;
    Ok(vec![control_report, eval_report])
}

fn check_patch(patch: &Patch, wanted: &[u8], levels: &[Vec<f32>; 2]) -> Result<(), String> {
    let mut actual = Vec::new();
    for vertex in &patch.vertices {
        actual.extend(read(vertex, POSITION, 4)?);
        actual.extend(read(vertex, LOCATION_0, 4)?);
    }
    actual.extend(read(&patch.values, PATCH_1, 4)?);
    compare(&actual, &floats(wanted), 0.0).map_err(|error| format!("patch: {error}"))?;
    // The patch header of a quad: inner levels 0 and 1 in dwords 3 and 2, outer ones from 7 on.
    let header: Vec<Option<u32>> = [0, 1]
        .iter()
        .flat_map(|half| patch.values.get(Varying::PatchHeader { half: *half }))
        .collect();
    let [outer, inner] = levels;
    let places = [(7, outer[0]), (6, outer[1]), (5, outer[2]), (4, outer[3])];
    for (place, level) in places.into_iter().chain([(3, inner[0]), (2, inner[1])]) {
        if header[place].map(f32::from_bits) != Some(level) {
            return Err(format!("dword {place} of the patch header: {:?}", header[place]));
        }
    }
    Ok(())
}

/// Runs a case; the reports of its programs.
///
/// # Errors
/// What differs from the expected outputs.
pub(crate) fn run(
    load: &Loader<'_>,
    case: &StageCase,
    variant: &str,
) -> Result<Vec<Report>, String> {
    let mut resources = resources(case)?;
    let options = Options { budget: 10_000_000, ..Options::default() };
    match case.data {
        StageData::Vertex { .. } => run_vertex(load, case, variant, &mut resources, &options),
        StageData::Geometry { .. } => run_geometry(load, case, variant, &resources, &options),
        StageData::Tessellation { .. } => {
            run_tessellation(load, case, variant, &resources, &options)
        }
    }
}
