//! A builder that appends instructions with given execution controls.
//!
//! A builder appends to the end of a function (selection) or to a list of instructions (passes). Methods such as
//! [`exec`](Builder::exec) borrow from it a builder with other controls, such as fewer channels:
//!
//! ```
//! use crestline_codegen::ir::{Builder, Function, Operand};
//! use crestline_isa::Type;
//! let mut function = Function::new(16);
//! let value = function.lanes(Type::D, 1);
//! let mut b = Builder::new(&mut function);
//! b.mov(value, Operand::imm_d(7));
//! b.exec(8).group(8).add(value.byte_offset(32), value.byte_offset(32), Operand::imm_d(1));
//! assert_eq!(function.inst_count(), 2);
//! ```

use crestline_isa::{AccessMode, CondMod, MathFn, Opcode, PredCtrl, Predicate, Type};

use super::{Block, Flag, Function, Inst, Message, Op, Operand, Origin, Vregs};

/// The fields of a new instruction other than its operation and operands.
#[derive(Clone, Copy, Debug)]
struct Controls {
    exec_size: u8,
    group: u8,
    access_mode: AccessMode,
    no_mask: bool,
    predicate: Predicate,
    flag: Flag,
    origin: Origin,
}

#[derive(Debug)]
enum Sink<'a> {
    /// The blocks of a function. Instructions go to the last one; flow operations start and end blocks.
    Blocks(&'a mut Vec<Block>),
    /// A list of instructions inside one block.
    List(&'a mut Vec<Inst>),
}

/// Appends instructions with the execution size, group, access mode, NoMask and predicate that it holds.
#[derive(Debug)]
pub struct Builder<'a> {
    vregs: &'a mut Vregs,
    sink: Sink<'a>,
    controls: Controls,
    dispatch_width: u8,
}

macro_rules! binary {
    ($($name:ident $opcode:ident $doc:literal;)*) => {
        $(
            #[doc = $doc]
            pub fn $name(&mut self, dst: Operand, a: Operand, b: Operand) -> &mut Inst {
                self.emit(Op::Hw(Opcode::$opcode), dst, &[a, b])
            }
        )*
    };
}

macro_rules! unary {
    ($($name:ident $opcode:ident $doc:literal;)*) => {
        $(
            #[doc = $doc]
            pub fn $name(&mut self, dst: Operand, src: Operand) -> &mut Inst {
                self.emit(Op::Hw(Opcode::$opcode), dst, &[src])
            }
        )*
    };
}

impl<'a> Builder<'a> {
    /// A builder with the default controls: all channels of the thread, Align1, masked, no predicate.
    fn with(vregs: &'a mut Vregs, sink: Sink<'a>, dispatch_width: u8) -> Builder<'a> {
        let controls = Controls {
            exec_size: dispatch_width,
            group: 0,
            access_mode: AccessMode::Align1,
            no_mask: false,
            predicate: Predicate::NONE,
            flag: Flag::Fixed(0),
            origin: Origin::UNKNOWN,
        };
        Builder { vregs, sink, controls, dispatch_width }
    }

    /// A builder that appends to the end of a function, for all channels of a thread. Flow operations start and end
    /// blocks as needed.
    pub fn new(function: &'a mut Function) -> Builder<'a> {
        let (width, origin) = (function.dispatch_width, function.origin);
        let sink = Sink::Blocks(&mut function.blocks);
        let mut builder = Builder::with(&mut function.vregs, sink, width);
        builder.controls.origin = origin;
        builder
    }

    /// A builder that appends to a list of instructions inside one block, for all `width` channels of a thread.
    pub fn list(vregs: &'a mut Vregs, list: &'a mut Vec<Inst>, width: u8) -> Builder<'a> {
        Builder::with(vregs, Sink::List(list), width)
    }

    /// A builder that appends to the same place, with controls that `change` modifies.
    fn narrowed(&mut self, change: impl FnOnce(&mut Controls)) -> Builder<'_> {
        let mut controls = self.controls;
        change(&mut controls);
        let sink = match &mut self.sink {
            Sink::Blocks(blocks) => Sink::Blocks(blocks),
            Sink::List(list) => Sink::List(list),
        };
        Builder { vregs: self.vregs, sink, controls, dispatch_width: self.dispatch_width }
    }

    /// Sets the origin of the instructions that the builder emits.
    #[must_use]
    pub fn from_origin(mut self, origin: Origin) -> Builder<'a> {
        self.controls.origin = origin;
        self
    }

    /// Changes the builder's access mode to Align16.
    #[must_use]
    pub fn into_align16(mut self) -> Builder<'a> {
        self.controls.access_mode = AccessMode::Align16;
        self
    }

    /// A builder for `exec_size` channels.
    pub fn exec(&mut self, exec_size: u8) -> Builder<'_> {
        self.narrowed(|c| c.exec_size = exec_size)
    }

    /// A builder for channels from number `group` of the thread on.
    pub fn group(&mut self, group: u8) -> Builder<'_> {
        self.narrowed(|c| c.group = group)
    }

    /// A builder for NoMask instructions, which work on disabled channels too.
    pub fn no_mask(&mut self) -> Builder<'_> {
        self.narrowed(|c| c.no_mask = true)
    }

    /// A builder for values of the whole thread: one channel, Align1, NoMask.
    pub fn uniform(&mut self) -> Builder<'_> {
        self.narrowed(|c| {
            c.exec_size = 1;
            c.group = 0;
            c.no_mask = true;
            c.access_mode = AccessMode::Align1;
        })
    }

    /// A builder for instructions predicated by `flag`: they work on channels whose bit is set (clear, if `inverse`).
    pub fn predicated(&mut self, flag: Flag, inverse: bool) -> Builder<'_> {
        self.narrowed(|c| {
            c.predicate = Predicate { ctrl: PredCtrl::Normal, inverse };
            c.flag = flag;
        })
    }

    /// A builder for instructions with any predicate control.
    pub fn predicate(&mut self, flag: Flag, predicate: Predicate) -> Builder<'_> {
        self.narrowed(|c| {
            c.predicate = predicate;
            c.flag = flag;
        })
    }

    /// A builder for Align1 instructions.
    pub fn align1(&mut self) -> Builder<'_> {
        self.narrowed(|c| c.access_mode = AccessMode::Align1)
    }

    /// A builder for Align16 instructions.
    pub fn align16(&mut self) -> Builder<'_> {
        self.narrowed(|c| c.access_mode = AccessMode::Align16)
    }

    /// Copies execution size, group, NoMask, access mode and origin from an instruction; the predicate of the builder
    /// stays.
    pub fn take_controls(&mut self, inst: &Inst) {
        self.controls.exec_size = inst.exec_size;
        self.controls.group = inst.group;
        self.controls.no_mask = inst.no_mask;
        self.controls.access_mode = inst.access_mode;
        self.controls.origin = inst.origin;
    }

    /// Execution size of the instructions that the builder emits.
    pub fn exec_size(&self) -> u8 {
        self.controls.exec_size
    }

    /// Channels of the thread.
    pub fn dispatch_width(&self) -> u8 {
        self.dispatch_width
    }

    /// Records an internal error of the compiler; see [`Vregs::note_fault`].
    pub fn fault(&mut self, what: &'static str) {
        self.vregs.note_fault(what);
    }

    /// The table of virtual registers.
    pub fn vregs(&mut self) -> &mut Vregs {
        self.vregs
    }

    /// Adds a virtual register for a value with `components` components of type `ty` and one element per channel of
    /// the execution size. If there are several components, each takes whole general registers.
    pub fn lanes(&mut self, ty: Type, components: u32) -> Operand {
        let one = u32::from(self.controls.exec_size) * ty.size();
        let one = if components > 1 { one.next_multiple_of(super::GRF_BYTES) } else { one };
        Operand::vgrf(self.vregs.bytes(one * components), ty)
    }

    /// Adds a virtual register for one value per channel. Returns it as a destination and as a source of the
    /// builder's access mode.
    pub fn temp(&mut self, ty: Type) -> (Operand, Operand) {
        let mode = self.controls.access_mode;
        let value = self.lanes(ty, 1);
        let dst = value.as_dst(mode);
        let read = dst.as_source(mode).unwrap_or_else(|| {
            self.fault("a temporary that cannot be read as it is written");
            value
        });
        (dst, read)
    }

    /// Adds a virtual register for one value of the whole thread; the operand reads the same element in all channels.
    pub fn scalar(&mut self, ty: Type) -> Operand {
        Operand::scalar(self.vregs.bytes(ty.size()), ty)
    }

    /// Adds a virtual flag register.
    pub fn flag(&mut self) -> Flag {
        Flag::Virtual(self.vregs.flag(self.dispatch_width))
    }

    /// Appends a complete instruction. It gets the builder's origin if it has none. A flow instruction starts or ends a
    /// block as needed.
    pub fn push(&mut self, mut inst: Inst) -> &mut Inst {
        if inst.origin == Origin::UNKNOWN {
            inst.origin = self.controls.origin;
        }
        let list: &mut Vec<Inst> = match &mut self.sink {
            Sink::List(list) => list,
            Sink::Blocks(blocks) => {
                let closed = blocks.last().is_none_or(|block| {
                    block.insts.last().is_some_and(|last| last.op.ends_block())
                        || inst.op.starts_block() && !block.insts.is_empty()
                });
                if closed {
                    blocks.push(Block::default());
                }
                let last = blocks.len() - 1;
                &mut blocks[last].insts
            }
        };
        // Few blocks have less than 32 instructions.
        if list.capacity() == 0 {
            list.reserve(32);
        }
        list.push(inst);
        let last = list.len() - 1;
        &mut list[last]
    }

    /// Appends an operation with the builder's execution controls.
    pub fn emit(&mut self, op: Op, dst: Operand, srcs: &[Operand]) -> &mut Inst {
        let c = self.controls;
        let mut inst = Inst::new(op, c.exec_size, dst, srcs);
        inst.group = c.group;
        inst.access_mode = c.access_mode;
        inst.no_mask = c.no_mask;
        inst.predicate = c.predicate;
        inst.flag = c.flag;
        self.push(inst)
    }

    unary! {
        mov Mov "Copies and converts.";
        not Not "Bitwise complement.";
        frc Frc "Fraction above floor.";
        rndd Rndd "Rounds down.";
        rndu Rndu "Rounds up.";
        rnde Rnde "Rounds to nearest even.";
        rndz Rndz "Rounds toward zero.";
        bfrev Bfrev "Reverses bits.";
        fbh Fbh "Finds the first bit from the high side.";
        fbl Fbl "Finds the first bit from the low side.";
        cbit Cbit "Counts set bits.";
        lzd Lzd "Counts leading zeros.";
    }

    binary! {
        sel Sel "Picks `a` or `b`: set a predicate or a conditional modifier.";
        and And "Bitwise and.";
        or Or "Bitwise or.";
        xor Xor "Bitwise exclusive or.";
        shl Shl "Shifts left.";
        shr Shr "Shifts right, zeros coming in.";
        asr Asr "Shifts right, sign bits coming in.";
        add Add "Sum.";
        mul Mul "Product (low half, for integers).";
        avg Avg "Rounded-up average.";
        addc Addc "Sum, carry to the accumulator.";
        subb Subb "Difference, borrow to the accumulator.";
        mach Mach "High half of a product, with the accumulator.";
        mac Mac "Product plus accumulator.";
        bfi1 Bfi1 "Bit mask from width `a` and offset `b`.";
    }

    /// `a + b * c`.
    pub fn mad(&mut self, dst: Operand, a: Operand, b: Operand, c: Operand) -> &mut Inst {
        self.emit(Op::Hw(Opcode::Mad), dst, &[a, b, c])
    }

    /// Compares `a` and `b`. `flag` receives one bit per channel; `dst`, if not null, receives all ones (true) or
    /// zeros.
    pub fn cmp(
        &mut self,
        dst: Operand,
        a: Operand,
        cond_mod: CondMod,
        b: Operand,
        flag: Flag,
    ) -> &mut Inst {
        let inst = self.emit(Op::Hw(Opcode::Cmp), dst, &[a, b]);
        inst.cond_mod = cond_mod;
        inst.flag = flag;
        inst
    }

    /// Appends a selection of the lesser (`CondMod::L`) or greater (`CondMod::Ge`) of two values.
    pub fn min_max(
        &mut self,
        dst: Operand,
        a: Operand,
        b: Operand,
        cond_mod: CondMod,
    ) -> &mut Inst {
        let inst = self.emit(Op::Hw(Opcode::Sel), dst, &[a, b]);
        inst.cond_mod = cond_mod;
        inst
    }

    /// Reads the element that one channel of the thread has. `values` has one element per channel of the thread, or one for
    /// all; `channel` is a scalar UD below their number. The distance of the elements must be a power of two.
    ///
    /// [`Op::Broadcast`] in an instruction of one channel would not read the elements of the other channels.
    pub fn read_channel(&mut self, dst: Operand, values: Operand, channel: Operand) {
        if values.is_scalar() {
            self.mov(dst, values);
            return;
        }
        if let Some(number) = channel.imm_bits() {
            let at = values.channel_offset(number as u32);
            self.mov(dst, values.byte_offset(at).with_stride(0));
            return;
        }
        let width = self.dispatch_width;
        let Some(step) = values.byte_stride(width).filter(|step| step.is_power_of_two()) else {
            return self.fault("the elements of a value have no distance that is a power of two");
        };
        let index = self.scalar(Type::Ud);
        self.uniform().shl(index, channel, Operand::imm_ud(step.trailing_zeros()));
        let range = Operand::imm_ud(values.region_bytes(width));
        self.emit(Op::MovIndirect, dst, &[values.with_stride(0), index, range]);
    }

    /// Appends an extended math operation with one or two sources.
    pub fn math(&mut self, function: MathFn, dst: Operand, srcs: &[Operand]) -> &mut Inst {
        self.emit(Op::Math(function), dst, srcs)
    }

    /// Appends a copy of the sources to `dst` one after another; see [`Op::Collect`].
    pub fn collect(&mut self, dst: Operand, headers: u8, srcs: &[Operand]) -> &mut Inst {
        self.emit(Op::Collect { headers }, dst, srcs)
    }

    /// Appends a message. `desc` is OR-ed into the descriptor at run time (or null); `parts` are the payload parts.
    /// See [`Op::Message`].
    pub fn message(
        &mut self,
        message: Message,
        dst: Operand,
        desc: Operand,
        parts: &[Operand],
    ) -> &mut Inst {
        let mut srcs = smallvec::SmallVec::<[Operand; 8]>::new();
        srcs.push(desc);
        srcs.extend_from_slice(parts);
        let inst = self.emit(Op::Message, dst, &srcs);
        inst.message = Some(Box::new(message));
        inst
    }

    /// Appends a flow operation without operands, with the builder's controls and predicate.
    pub fn flow(&mut self, opcode: Opcode) -> &mut Inst {
        self.emit(Op::Hw(opcode), Operand::null(Type::Ud), &[])
    }

    /// Opens a loop that [`while_`](Self::while_) closes.
    pub fn do_(&mut self) -> &mut Inst {
        self.emit(Op::Do, Operand::null(Type::Ud), &[])
    }

    /// Opens a conditional for channels whose bit in `flag` is set (clear, if `inverse`).
    pub fn if_(&mut self, flag: Flag, inverse: bool) -> &mut Inst {
        let inst = self.flow(Opcode::If);
        inst.predicate = Predicate { ctrl: PredCtrl::Normal, inverse };
        inst.flag = flag;
        inst
    }

    /// Starts the other arm of a conditional.
    pub fn else_(&mut self) -> &mut Inst {
        self.flow(Opcode::Else)
    }

    /// Closes a conditional.
    pub fn endif(&mut self) -> &mut Inst {
        self.flow(Opcode::EndIf)
    }

    /// Closes a loop. Enabled channels, or those that the builder's predicate selects, run the next iteration.
    pub fn while_(&mut self) -> &mut Inst {
        self.flow(Opcode::While)
    }
}
