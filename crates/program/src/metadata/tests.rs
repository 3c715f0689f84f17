use super::*;
use crate::{
    Content, Feedback, FeedbackBuffer, FeedbackCapture, GrfRange, LocalIds, PayloadItem, Program,
    StageDispatch, Statistics, Surface, ThreadPayload, Varying, VertexInput,
};

const EXAMPLE: &str = include_str!("../../example/compute.json");

fn example() -> Metadata {
    Metadata::from_json(EXAMPLE).expect("the documented example parses")
}

/// The field that `check` refuses after `change`.
fn refused(change: impl FnOnce(&mut Metadata)) -> String {
    let mut metadata = example();
    change(&mut metadata);
    match metadata.check() {
        Err(MetadataError::Field { field, .. }) => field,
        other => panic!("expected a refused field, got {other:?}"),
    }
}

#[test]
fn the_example_means_what_the_documentation_says() {
    let metadata = example();
    assert_eq!(metadata.platform, Platform::Skl);
    let StageMetadata::Compute(compute) = metadata.stage else { panic!("a compute program") };
    assert_eq!(compute.threads_per_group(metadata.dispatches.first().simd_width), 4);
    assert_eq!(metadata.dispatches.first().payload.items[2].content, Content::SubgroupId);
    assert!(matches!(
        metadata.binding_table[1].surface,
        Surface::UniformBuffer { resource } if resource.to_string() == "0.1[2]"
    ));
    assert_eq!(metadata.float_mode.half, DenormalMode::Preserve);
}

const VERTEX_EXAMPLE: &str = include_str!("../../example/vertex.json");

/// The field that `check` refuses after `change` of a vertex program.
fn refused_vertex(change: impl FnOnce(&mut VertexMetadata, &mut Platform)) -> String {
    let mut metadata = Metadata::from_json(VERTEX_EXAMPLE).expect("the documented example parses");
    let StageMetadata::Vertex(vertex) = &mut metadata.stage else { panic!("a vertex program") };
    change(vertex, &mut metadata.platform);
    match metadata.check() {
        Err(MetadataError::Field { field, .. }) => field,
        other => panic!("expected a refused field, got {other:?}"),
    }
}

#[test]
fn vertex_programs_are_checked() {
    let metadata = Metadata::from_json(VERTEX_EXAMPLE).expect("the documented example parses");
    assert_eq!(Metadata::from_json(&metadata.to_json()), Ok(metadata));
    assert_eq!(refused_vertex(|v, _| v.outputs.push(Varying::Position)), "stage.outputs");
    assert_eq!(
        refused_vertex(|v, _| v.outputs.push(Varying::ClipDistances { first: 2 })),
        "stage.outputs"
    );
    assert_eq!(refused_vertex(|v, _| v.entry_bytes = 64), "stage.entry_bytes");
    assert_eq!(refused_vertex(|v, _| v.entry_bytes = 100), "stage.entry_bytes");
    assert_eq!(refused_vertex(|v, _| v.first_input_register = 126), "stage.first_input_register");
    assert_eq!(refused_vertex(|v, _| v.dispatch = StageDispatch::Simd8), "stage.dispatch");
    assert_eq!(refused_vertex(|_, platform| *platform = Platform::Icl), "stage.dispatch");
    let capture = |buffer, offset, varying, first, count| {
        refused_vertex(|v, _| {
            let buffers = vec![FeedbackBuffer { buffer: 1, stride: 16, stream: 0 }];
            let capture = FeedbackCapture { buffer, offset, varying, first, count };
            let good = FeedbackCapture { offset: 0, varying: Varying::Position, ..capture };
            let captures = vec![FeedbackCapture { buffer: 1, first: 0, count: 2, ..good }, capture];
            v.feedback = Some(Feedback { buffers, captures });
        })
    };
    for (buffer, offset, varying, first, count) in [
        (0, 8, Varying::Position, 0, 1),
        (1, 4, Varying::Position, 0, 1),
        (1, 10, Varying::Position, 0, 1),
        (1, 12, Varying::Position, 0, 2),
        (1, 8, Varying::Position, 3, 2),
        (1, 8, Varying::Position, u32::MAX, 1),
        (1, 8, Varying::Position, 0, 0),
        (1, 8, Varying::PrimitiveId, 0, 1),
    ] {
        assert_eq!(capture(buffer, offset, varying, first, count), "stage.feedback.captures");
    }
    for (buffer, stride, stream) in [(4, 16, 0), (0, 15, 0), (0, 4096, 0), (0, 16, 1)] {
        let buffers = vec![FeedbackBuffer { buffer, stride, stream }];
        let feedback = Feedback { buffers, captures: Vec::new() };
        let field = refused_vertex(|v, _| v.feedback = Some(feedback));
        assert_eq!(field, "stage.feedback.buffers");
    }
    let offset = VertexInput::Attribute { location: 0, offset: 8 };
    assert_eq!(refused_vertex(|v, _| v.inputs.push(offset)), "stage.inputs");
}

#[test]
fn json_survives_the_round_trip() {
    let metadata = example();
    assert_eq!(Metadata::from_json(&metadata.to_json()), Ok(metadata));
}

#[test]
fn another_version_is_refused_before_anything_else() {
    let text = r#"{"version": 7, "whatever": true}"#;
    let error = Metadata::from_json(text).unwrap_err();
    assert_eq!(error, MetadataError::Version { found: 7 });
    assert_eq!(error.to_string(), "metadata version 7 is not supported: expected 1 to 2");
}

/// The message for the example with one replacement.
fn message(old: &str, new: &str) -> String {
    assert!(EXAMPLE.contains(old), "{old}");
    Metadata::from_json(&EXAMPLE.replacen(old, new, 1)).unwrap_err().to_string()
}

#[test]
fn errors_say_where_what_was_expected_and_what_was_found() {
    let cases = [
        (
            r#""shared_bytes": 1024"#,
            r#""shared": 1024"#,
            "metadata `stage`: expected no field but `local_size`, `shared_bytes`, `uses_barrier`, \
             found the field \"shared\"",
        ),
        (
            r#""kind": "storage_buffer""#,
            r#""kind": "buffer""#,
            "metadata `binding_table[0].surface.kind`: expected one of `null`, `storage_buffer`, \
             `atomic_counters`, `render_target`, `uniform_buffer`, `constant_data`, `num_workgroups`, `literal`, \
             `texel_buffer`, `storage_image`, `sampled_image`, found \"buffer\"",
        ),
        (
            r#""kind": "storage_buffer", "#,
            "",
            "metadata `binding_table[0].surface.kind`: expected one of `null`, `storage_buffer`, \
             `atomic_counters`, `render_target`, `uniform_buffer`, `constant_data`, `num_workgroups`, `literal`, \
             `texel_buffer`, `storage_image`, `sampled_image`, found nothing",
        ),
        (
            r#"{ "set": 0, "binding": 0 }"#,
            r#"{ "set": 0 }"#,
            "metadata `binding_table[0].surface.resource.binding`: expected a whole number from 0 \
             to 4294967295, found nothing",
        ),
        (
            r#""index": 1"#,
            r#""index": 256"#,
            "metadata `binding_table[1].index`: expected a whole number from 0 to 255, found 256",
        ),
        (
            "[64, 1, 1]",
            "[64, 1]",
            "metadata `stage.local_size`: expected a list of 3, found a list of 2",
        ),
        (
            r#"{ "kind": "subgroup_id" }"#,
            r#""subgroup_id""#,
            "metadata `dispatches[0].payload.items[2].content`: expected an object with a `kind`, \
             found \"subgroup_id\"",
        ),
        (
            r#"{ "kind": "subgroup_id" }"#,
            r#"{ "kind": "subgroup_id", "offset": 1 }"#,
            "metadata `dispatches[0].payload.items[2].content`: expected no further field, found \
             the field \"offset\"",
        ),
        ("true", "1", "metadata `stage.uses_barrier`: expected true or false, found 1"),
        (
            r#""write""#,
            r#""wipe""#,
            "metadata `binding_table[2].surface.access`: expected one of `read`, `write`, \
             `read_write`, found \"wipe\"",
        ),
        (
            "R8G8B8A8_UNORM",
            "R8G8B8A8_YES",
            "metadata `binding_table[2].surface.format`: expected the name of a surface format, \
             found \"R8G8B8A8_YES\"",
        ),
        (
            "cdcccc3d",
            "cdcccc3",
            "metadata `constant_data.bytes`: expected bytes as hexadecimal text, found hex code, \
             line 1: odd number of hex digits",
        ),
    ];
    for (old, new, expected) in cases {
        assert_eq!(message(old, new), expected);
    }
}

#[test]
fn a_document_that_is_no_metadata_is_refused() {
    let of = |text: &str| Metadata::from_json(text).unwrap_err().to_string();
    assert_eq!(of(""), "metadata, line 1 column 0: the text ends before the JSON is complete");
    assert_eq!(of("[]"), "metadata: expected an object, found a list of 0");
    let version = "metadata `version`: expected the number of a version, 1 to 2, found";
    assert_eq!(of("{}"), format!("{version} nothing"));
    assert_eq!(of(r#"{"version": "2"}"#), format!("{version} \"2\""));
    let twice = r#"{"version": 2, "version": 2}"#;
    assert!(of(twice).contains("the field \"version\" stands twice"), "{}", of(twice));
    assert!(of(&"[".repeat(100_000)).starts_with("metadata, line 1 column "));
    let many = format!("[{}0]", "0,".repeat(1 << 20));
    assert!(of(&many).contains("expected at most 1048576 values"), "{}", of(&many));
    let program = |text: &str| Program::from_json(text).unwrap_err().to_string();
    assert_eq!(program("{}"), "metadata `metadata`: expected an object, found nothing");
    let both = format!(r#"{{"code": "00", "metadata": {EXAMPLE}, "statistics": {{}}}}"#);
    assert_eq!(
        program(&both),
        "metadata `statistics`: expected nothing: entry points have the statistics, found an object"
    );
}

#[test]
fn right_mask_covers_the_rest() {
    let compute = ComputeMetadata { local_size: [7, 3, 1], shared_bytes: 0, uses_barrier: false };
    assert_eq!(compute.threads_per_group(8), 3);
    assert_eq!(compute.right_mask(8), 0b1_1111);
    assert_eq!(compute.right_mask(32), (1 << 21) - 1);
    let full = ComputeMetadata { local_size: [32, 1, 1], ..compute };
    assert_eq!((full.right_mask(8), full.right_mask(32)), (0xff, u32::MAX));
}

#[test]
fn impossible_fields_are_named() {
    assert_eq!(refused(|m| m.dispatches.first_mut().simd_width = 4), "dispatches[0].simd_width");
    let size = |size| {
        move |m: &mut Metadata| {
            let StageMetadata::Compute(compute) = &mut m.stage else { panic!("a compute program") };
            compute.local_size = size;
        }
    };
    assert_eq!(refused(size([0, 1, 1])), "stage.local_size");
    assert_eq!(refused(size([u32::MAX; 3])), "stage.local_size");
    assert_eq!(
        refused(|m| {
            let StageMetadata::Compute(compute) = &mut m.stage else { panic!("a compute program") };
            compute.shared_bytes = 65537;
        }),
        "stage.shared_bytes"
    );
    assert_eq!(
        refused(|m| m.dispatches.first_mut().payload.per_thread =
            Some(GrfRange { first: 127, count: 2 })),
        "dispatches[0].payload.per_thread"
    );
    assert_eq!(
        refused(|m| m.dispatches.first_mut().payload.cross_thread =
            Some(GrfRange { first: u32::MAX, count: 2 })),
        "dispatches[0].payload.cross_thread"
    );
    assert_eq!(refused(|m| m.platform = Platform::Ivb), "dispatches[0].payload.cross_thread");
    assert_eq!(
        refused(|m| m.dispatches.first_mut().payload.local_ids =
            Some(LocalIds { first: 3, registers_per_dimension: 0, dimensions: 3 })),
        "dispatches[0].payload.local_ids"
    );
    assert_eq!(
        refused(|m| m.dispatches.first_mut().payload.items.push(PayloadItem {
            offset: 0,
            size: 4,
            content: Content::SubgroupId
        })),
        "dispatches[0].payload.items[3]"
    );
    assert_eq!(refused(|m| m.binding_table[1].index = 0), "binding_table[1].index");
    assert_eq!(refused(|m| m.binding_table[1].index = 254), "binding_table[1].index");
    assert_eq!(refused(|m| m.samplers.push(m.samplers[0])), "samplers[1].index");
    assert_eq!(refused(|m| m.scratch_bytes = u32::MAX), "scratch_bytes");
    assert_eq!(refused(|m| m.private_bytes_per_channel = u32::MAX), "private_bytes_per_channel");
    assert_eq!(
        refused(|m| m.constant_data.as_mut().unwrap().alignment = 3),
        "constant_data.alignment"
    );
    assert_eq!(refused(|m| m.constant_data = None), "relocations");
}

#[test]
fn relocations_patch_the_code_and_are_checked_against_it() {
    let mut metadata = example();
    let mut code = vec![0u8; 656];
    assert_eq!(metadata.check_code(&code), Ok(()));
    metadata.relocations[1].delta = 4;
    for relocation in &metadata.relocations {
        relocation.apply(&mut code, 0x1234_0000_5678);
    }
    assert_eq!(code[636..640], 0x1234u32.to_le_bytes());
    assert_eq!(code[652..656], 0x567cu32.to_le_bytes());
    let error = metadata.check_code(&code[..648]).unwrap_err();
    assert!(error.to_string().contains("relocations[1].offset"), "{error}");
    assert!(metadata.check_code(&[]).is_err());
}

const VERSION_1: [(&str, &str); 2] = [
    (include_str!("../../tests/version1/compute.json"), EXAMPLE),
    (include_str!("../../tests/version1/vertex.json"), VERTEX_EXAMPLE),
];

#[test]
fn version_1_is_read() {
    for (old, new) in VERSION_1 {
        assert_eq!(Metadata::from_json(old), Metadata::from_json(new));
    }
    // Errors contain the path in the document of version 1.
    let (old, _) = VERSION_1[0];
    let error = Metadata::from_json(&old.replace("\"simd_width\": 16", "\"simd_width\": 4"));
    let reason = "4: expected 8, 16 or 32".to_owned();
    assert_eq!(error, Err(MetadataError::Field { field: "simd_width".into(), reason }));
    // Each version has its own fields.
    let mixed = EXAMPLE.replace("\"version\": 2", "\"version\": 1");
    assert!(Metadata::from_json(&mixed).is_err());
    let mixed = old.replace("\"version\": 1", "\"version\": 2");
    assert!(Metadata::from_json(&mixed).is_err());
}

#[test]
fn programs_of_both_versions_are_read() {
    let statistics = Statistics { simd_width: 16, instructions: 3, ..Statistics::default() };
    let mut program = Program { code: vec![7; 656], metadata: example() };
    program.metadata.dispatches.first_mut().statistics = Some(statistics);
    let text = program.to_json();
    assert_eq!(Program::from_json(&text).as_ref(), Ok(&program));
    assert_eq!(program.statistics(), Some(&statistics));

    let (old, _) = VERSION_1[0];
    let code = "07".repeat(656);
    let counted = serde_json::to_string(&statistics).unwrap();
    let text = format!(r#"{{"code": "{code}", "metadata": {old}, "statistics": {counted}}}"#);
    assert_eq!(Program::from_json(&text), Ok(program.clone()));
    let text = format!(r#"{{"code": "{code}", "metadata": {old}}}"#);
    program.metadata.dispatches.first_mut().statistics = None;
    assert_eq!(Program::from_json(&text), Ok(program));

    let unknown = text.replace("\"version\": 1", "\"version\": 3");
    assert_eq!(Program::from_json(&unknown), Err(MetadataError::Version { found: 3 }));
}

#[test]
fn entry_points_are_checked() {
    let code = vec![0; 656];
    let at = |offset, width| {
        let mut metadata = example();
        let mut second = Dispatch::at_start(width, ThreadPayload::default());
        second.offset = offset;
        metadata.dispatches.push(second);
        metadata
    };
    let field = |result| match result {
        Err(MetadataError::Field { field, .. }) => field,
        other => panic!("expected a refused field, got {other:?}"),
    };
    let good = at(640, 32);
    assert_eq!((good.check(), good.check_code(&code)), (Ok(()), Ok(())));
    assert_eq!(Metadata::from_json(&good.to_json()), Ok(good));
    assert_eq!(field(at(648, 8).check_code(&code)), "dispatches[1].offset");
    assert_eq!(field(at(704, 8).check_code(&code)), "dispatches[1].offset");
    assert_eq!(field(at(0, 12).check()), "dispatches[1].simd_width");
    let mut slot = at(0, 8);
    slot.dispatches.first_mut().kernel_start_slot = Some(0);
    assert_eq!(field(slot.check()), "dispatches[0].kernel_start_slot");
    let mut many = at(0, 8);
    let StageMetadata::Compute(compute) = &mut many.stage else { panic!("a compute program") };
    compute.local_size = [64 * 16, 1, 1];
    assert_eq!(field(many.check()), "stage.local_size");
    let start = EXAMPLE.find("\"dispatches\"").unwrap();
    let end = EXAMPLE.find("\"stage\"").unwrap();
    let none = format!("{}\"dispatches\": [], {}", &EXAMPLE[..start], &EXAMPLE[end..]);
    let error = Metadata::from_json(&none).unwrap_err();
    assert!(
        error.to_string().contains("expected at least one entry point, found a list of 0"),
        "{error}"
    );
}
