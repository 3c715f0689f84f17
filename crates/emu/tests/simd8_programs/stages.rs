//! A program for each stage, with everything that a payload may contain.

use super::{OUT, Urb, binary, channels, compare, if_set, last, location, mov, reg, scalar};
use crate::common::mov_ud;
use crestline_emu::SlotValues;
use crestline_isa::{CondMod, Inst, Opcode, Src};
use crestline_program::{
    ControlData, Distances, Domain, GeometryDispatch, GeometryMetadata, GeometryOutput, Spacing,
    StageDispatch, TessControlMetadata, TessEvalMetadata, TessOutput, Varying, VertexInput,
    VertexMetadata,
};

/// A vertex program with push constants in r2, attribute 0 in r3 to r6, system values in r7 to r10.
pub(crate) fn vertex_stage() -> VertexMetadata {
    VertexMetadata {
        distances: Distances::default(),
        feedback: None,
        dispatch: StageDispatch::Simd8,
        first_input_register: 3,
        inputs: vec![VertexInput::Attribute { location: 0, offset: 0 }, VertexInput::SystemValues],
        outputs: vec![location(0), location(1), location(2)],
        entry_bytes: 64,
    }
}

/// Writes the attribute to slot 0, the system values to slot 1, constant 5 and r0.0 to r0.2 to slot 2.
pub(crate) fn vertex_program() -> Vec<Inst> {
    let mut program = vec![];
    program.extend([mov(30, reg(1)), mov(OUT, reg(1))]);
    program.extend((0..8).map(|i| mov(31 + i, reg(3 + i))));
    program.push(Urb::at(0).write(30, 9));
    program.push(mov(OUT + 1, scalar(2, 5)));
    program.extend((0..3).map(|i| mov(OUT + 2 + i, scalar(0, i))));
    program.push(last(Urb::at(2).write(OUT, 5)));
    program
}

/// The dwords of a control point or vertex in tests: 10 times its number, and numbers that follow.
pub(crate) fn point(number: u32) -> SlotValues {
    let first = number * 10;
    SlotValues::new()
        .with(location(0), [first, first + 1, first + 2, first + 3])
        .with(location(1), [first + 4, first + 5, first + 6, first + 7])
}

pub(crate) fn control_stage(output_vertices: u32) -> TessControlMetadata {
    TessControlMetadata {
        dispatch: StageDispatch::Simd8,
        input_vertices: Some(17),
        output_vertices,
        inputs: vec![location(0), location(1)],
        patch_outputs: vec![Varying::PatchHeader { half: 0 }, Varying::PatchHeader { half: 1 }],
        vertex_outputs: vec![location(3)],
        entry_bytes: 256,
        uses_barrier: false,
    }
}

/// Thread 1 writes r0.1 and constant 2 to the patch header. Each channel writes a control point: its number, the first
/// dwords of the control points `channel` and 16, the last dword of control point `channel`. If `compares` is not set,
/// channels without a control point write, too.
pub(crate) fn control_program(compares: bool) -> Vec<Inst> {
    let mut program = channels(20);
    // The number of the invocation: 8 * r0.2 bits 23:17 + channel.
    program.extend([
        binary(Opcode::Shr, 22, [scalar(0, 2), Src::imm_ud(17)]),
        binary(Opcode::Shl, 23, [reg(22), Src::imm_ud(3)]),
        binary(Opcode::Add, 24, [reg(23), reg(20)]),
        mov(25, reg(1)),
        Urb::at(0).read(25, 1, 40, 8),
        mov(26, scalar(3, 0)),
        Urb::at(0).read(26, 1, 50, 1),
        // Handle, offset, mask: dwords 0 and 1.
        mov(60, scalar(0, 0)),
        mov(61, Src::imm_ud(0)),
        mov(62, Src::imm_ud(3 << 16)),
        mov(63, scalar(0, 1)),
        mov(64, scalar(5, 2)),
        compare(CondMod::G, reg(22), Src::imm_ud(0)),
    ]);
    let both = Urb { offset: 0, per_slot_offset: true, channel_mask: true };
    program.push(if_set(both.write(60, 5)));
    program.extend([
        mov(OUT, scalar(0, 0)),
        mov(OUT + 1, reg(24)),
        mov(OUT + 2, reg(24)),
        mov(OUT + 3, reg(40)),
        mov(OUT + 4, reg(50)),
        mov(OUT + 5, reg(47)),
        compare(CondMod::L, reg(24), Src::imm_ud(11)),
    ]);
    let own = Urb { offset: 2, per_slot_offset: true, channel_mask: false };
    let write = last(own.write(OUT, 6));
    program.push(if compares { if_set(write) } else { write });
    program
}

pub(crate) fn eval_stage() -> TessEvalMetadata {
    TessEvalMetadata {
        distances: Distances::default(),
        feedback: None,
        dispatch: StageDispatch::Simd8,
        domain: Domain::Triangles,
        spacing: Spacing::Equal,
        output: TessOutput::TrianglesCcw,
        patch_inputs: vec![
            Varying::PatchHeader { half: 0 },
            Varying::PatchHeader { half: 1 },
            Varying::Patch { location: 0 },
        ],
        vertex_inputs: vec![location(0), location(1)],
        first_input_register: 6,
        pushed_slots: 4,
        outputs: vec![location(0), location(1), location(2)],
        entry_bytes: 64,
    }
}

pub(crate) fn eval_program() -> Vec<Inst> {
    let mut program = vec![
        // u, v, w and the primitive id.
        mov(30, reg(4)),
        mov(31, reg(1)),
        mov(32, reg(2)),
        mov(33, reg(3)),
        mov(34, scalar(0, 1)),
        // Pushed: dword 1 of slot 2, dword 3 of slot 3, which is the first of vertex 0; a constant, and r0.2.
        mov(35, scalar(7, 1)),
        mov(36, scalar(7, 7)),
        mov(37, scalar(5, 7)),
        mov(38, scalar(0, 2)),
        Urb::at(0).write(30, 9),
        // Read by the handle of the patch: slot 8, the last of vertex 2.
        mov(40, scalar(0, 0)),
        Urb::at(8).read(40, 1, OUT + 1, 4),
        mov(OUT, reg(4)),
    ];
    program.push(last(Urb::at(2).write(OUT, 5)));
    program
}

/// A geometry program with primitive ids in r2 and handles from r3 on. Two slots of each vertex are pushed from
/// `first_input_register` on.
pub(crate) fn geometry_stage(invocations: u32, first_input_register: u32) -> GeometryMetadata {
    GeometryMetadata {
        distances: Distances::default(),
        feedback: None,
        dispatch: GeometryDispatch::Simd8,
        input_vertices: 3,
        invocations,
        primitive_id: true,
        vertex_handles: Some(3),
        inputs: vec![location(0), location(1), location(2)],
        first_input_register,
        pushed_slots: 2,
        output: GeometryOutput::TriangleStrip,
        count_bytes: 32,
        control_bytes: 32,
        control_data: ControlData::Cut,
        outputs: vec![location(0), location(1)],
        vertex_bytes: 32,
        entry_bytes: 192,
    }
}

/// Instructions that write the vertex count in r`count` and the control data in r`control`, and end the thread. The
/// mask of channels is in both cases that of the first dword.
pub(crate) fn finish(count: u8, control: u8) -> Vec<Inst> {
    vec![
        mov(30, reg(1)),
        mov(31, reg(control)),
        Urb::at(2).write(30, 2),
        mov(OUT, reg(1)),
        mov(OUT + 1, reg(count)),
        last(Urb::at(0).write(OUT, 2)),
    ]
}

/// The program of a thread whose channels are primitives.
pub(crate) fn primitives_program() -> Vec<Inst> {
    // Handles in r3 to r5, constants in r6, pushed slots from r7: four registers per slot, eight per vertex.
    let mut program = vec![
        // Slot 2 of vertex 1 by its handle.
        mov(40, reg(4)),
        Urb::at(2).read(40, 1, 41, 1),
        // Vertex 0: the primitive id, dword 3 of slot 0 of vertex 0, dword 1 of slot 1 of vertex 2, location 2 of vertex 1.
        mov(50, reg(1)),
        mov(51, reg(2)),
        mov(52, reg(7 + 3)),
        mov(53, reg(7 + 16 + 4 + 1)),
        mov(54, reg(41)),
        // A constant, the invocation, r0.0, r0.2.
        mov(55, scalar(6, 1)),
        binary(Opcode::Shr, 56, [reg(1), Src::imm_ud(27)]),
        mov(57, scalar(0, 0)),
        mov(58, scalar(0, 2)),
        Urb::at(4).write(50, 9),
        // Vertex 1 has only its first dword.
        mov(60, reg(1)),
        mov_ud(61, 77),
        Urb::at(6).write(60, 2),
    ];
    // One vertex for primitives 60 to 67, two for the others; a strip ends after vertex 0 of odd primitives.
    program.extend([
        mov_ud(62, 1),
        compare(CondMod::G, reg(2), Src::imm_ud(67)),
        if_set(mov_ud(62, 2)),
        binary(Opcode::And, 63, [reg(2), Src::imm_ud(1)]),
    ]);
    program.extend(finish(62, 63));
    program
}

/// The program of a thread whose channels are invocations of a primitive.
pub(crate) fn invocations_program() -> Vec<Inst> {
    // Handles in r3, constants in r4, pushed slots from r5: two per register, a register per vertex.
    let mut program = vec![
        // Slot 2 of vertex 2 by its handle.
        mov(40, scalar(3, 2)),
        Urb::at(2).read(40, 1, 41, 1),
        mov(50, reg(1)),
        binary(Opcode::Shr, 51, [reg(1), Src::imm_ud(27)]),
        mov(52, reg(2)),
        // Dword 3 of slot 1 of vertex 1.
        mov(53, scalar(6, 7)),
        mov(54, reg(41)),
        Urb::at(4).write(50, 5),
        // Invocations below 9 emit one vertex, the others none.
        mov_ud(62, 0),
        compare(CondMod::L, reg(51), Src::imm_ud(9)),
        if_set(mov_ud(62, 1)),
        mov_ud(63, 0),
    ];
    program.extend(finish(62, 63));
    program
}
