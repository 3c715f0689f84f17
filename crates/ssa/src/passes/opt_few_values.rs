//! Replaces loads from arrays that only hold a few different values by choices between these values:
//!
//! ```text
//! store_var v0[0], %1
//! store_var v0[1], %2
//! store_var v0[2], %1         becomes    %5 = ushr 0b0010, %4
//! store_var v0[3], %1                    %6 = iand %5, 1
//! %3 = load_var v0[%4]                   %3 = select (%6 != 0), %2, %1
//! ```
//!
//! The bits of a constant tell which value each element has. A larger array would otherwise be in scratch memory, with
//! messages for its stores and loads. `opt_large_constants` handles arrays of constants.
//!
//! Each component of each element must have one value only, wherever the stores are. A load before the store reads an
//! undefined value, so it may return that value too. The values must be defined outside of all conditionals and
//! loops, before the first load.

use hashbrown::HashMap;

use super::util::layout::{PathOffset, path_offset};
use super::util::{Action, const_src, rewrite, walk};
use crate::ir::{
    AluOp, Builder, Function, InstKind, PathStep, Shader, Src, Ty, Value, VarTy, Variable,
};

/// Smallest number of elements. With fewer, comparing the index is as short.
const MIN_ELEMENTS: u32 = 4;
/// Most dwords of bits for a component.
const MAX_DWORDS: u32 = 4;
/// Greatest number of elements: one bit for each.
const MAX_ELEMENTS: u32 = 32 * MAX_DWORDS;
/// Most different values of a component.
const MAX_VALUES: usize = 4;

/// See the [module](self). Returns whether a load was replaced.
pub fn opt_few_values(shader: &mut Shader) -> bool {
    let mut arrays = collect(shader);
    for (slot, var) in arrays.iter_mut().zip(&shader.vars) {
        let wanted = slot.as_ref().is_some_and(Array::pays)
            && shader.func.fuel.take(|| format!("variable {:?}", var.name));
        if !wanted {
            *slot = None;
        }
    }
    if arrays.iter().all(Option::is_none) {
        return false;
    }
    let vars = &shader.vars;
    // Stores stay for `opt_dce`, which removes them because no load is left.
    rewrite(&mut shader.func, |b, _, inst| {
        let InstKind::LoadVar { var, path } = &b.func.inst(inst).kind else { return Action::Keep };
        let (Some(array), path) = (&arrays[var.index()], path.clone()) else { return Action::Keep };
        match array.place(&vars[var.index()], &path) {
            Some(place) => Action::Replace(array.load(b, &place)),
            None => Action::Keep,
        }
    })
}

/// What a component of an element holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Constant(u64),
    /// A component of a value.
    Value(Value, u8),
}

/// The contents of one component of all elements.
#[derive(Clone, Debug, Default)]
struct Column {
    /// The different contents, in the order of the first store.
    contents: Vec<Content>,
    /// For each element the number of its content, if it has one.
    chosen: Vec<Option<u8>>,
}

impl Column {
    /// Records the content of an element. Returns false if it has another one already, or there are too many.
    fn set(&mut self, element: usize, content: Content) -> bool {
        let at = self.contents.iter().position(|&known| known == content);
        let at = at.unwrap_or_else(|| {
            self.contents.push(content);
            self.contents.len() - 1
        });
        let Some(slot) = self.chosen.get_mut(element) else { return false };
        let number = at as u8;
        at < MAX_VALUES && *slot.get_or_insert(number) == number
    }

    /// Bits that tell the content of an element: 0 to 2.
    fn bits(&self) -> u32 {
        self.contents.len().max(1).next_power_of_two().trailing_zeros()
    }
}

/// An array of which only a few values are stored.
struct Array {
    leaf: Ty,
    elements: u32,
    /// For each component.
    columns: Vec<Column>,
    /// Whether a load uses a dynamic index.
    dynamic: bool,
}

impl Array {
    /// The array of a variable without stores; `None` if the variable has another type, or initial values.
    fn new(var: &Variable) -> Option<Array> {
        let VarTy::Array(..) = &var.ty else { return None };
        let (mut ty, mut elements) = (&var.ty, 1_u32);
        while let VarTy::Array(element, count) = ty {
            elements = elements.checked_mul(*count).filter(|&n| n <= MAX_ELEMENTS)?;
            ty = element;
        }
        let VarTy::Vector(leaf) = *ty else { return None };
        if elements < MIN_ELEMENTS || var.init.is_some() {
            return None;
        }
        let column = Column { contents: Vec::new(), chosen: vec![None; elements as usize] };
        Some(Array { leaf, elements, columns: vec![column; leaf.comps()], dynamic: false })
    }

    /// Bytes of an element in the layout of variables.
    fn stride(&self) -> u32 {
        self.leaf.comp_bytes() * self.leaf.comps() as u32
    }

    /// Whether a few constants tell the contents, and not all of these are constants. With many contents, comparing the index
    /// is as short.
    fn pays(&self) -> bool {
        let short = |column: &Column| {
            2 * column.contents.len() as u32 <= self.elements
                && self.elements * column.bits() <= 32 * MAX_DWORDS
        };
        let is_value = |content: &Content| matches!(content, Content::Value(..));
        self.dynamic
            && self.columns.iter().all(short)
            && self.columns.iter().flat_map(|column| &column.contents).any(is_value)
    }

    /// The part of the array that a path selects; `None` for a component with a dynamic index, or an invalid path.
    fn place(&self, var: &Variable, path: &[PathStep]) -> Option<Place> {
        let place = path_offset(&var.ty, path)?;
        let stride = self.stride();
        if place.scaled.iter().any(|(_, step)| step % stride != 0) {
            return None;
        }
        let comp = (place.leaf.comps() < self.leaf.comps())
            .then(|| (place.fixed % stride / self.leaf.comp_bytes()) as usize);
        Some(Place { offset: place, comp })
    }

    /// Builds the value of an element, or of the component that is selected.
    fn load(&self, b: &mut Builder<'_>, place: &Place) -> Src {
        let stride = self.stride();
        let index = place.offset.sum(b, place.offset.fixed / stride, stride);
        if let Some(column) = place.comp.and_then(|comp| self.columns.get(comp)) {
            return self.component(b, column, index);
        }
        let comps: Vec<Src> =
            self.columns.iter().map(|column| self.component(b, column, index)).collect();
        match comps[..] {
            [one] => one,
            _ => b.vec(&comps).into(),
        }
    }

    /// Builds one component of an element.
    fn component(&self, b: &mut Builder<'_>, column: &Column, index: Src) -> Src {
        let ty = self.leaf.scalar();
        let contents: Vec<Src> =
            column.contents.iter().map(|content| content.build(b, ty)).collect();
        let [first, ref others @ ..] = contents[..] else { return b.undef(ty).into() };
        let bits = column.bits();
        if bits == 0 {
            return first;
        }
        let per_dword = 32 / bits;
        let dword = |b: &mut Builder<'_>, number: u32| {
            let from = (number * per_dword) as usize;
            let chosen = column.chosen.iter().skip(from).take(per_dword as usize);
            let bits = chosen.enumerate().fold(0, |dword, (i, chosen)| {
                dword | u32::from(chosen.unwrap_or(0)) << (i as u32 * bits)
            });
            Src::new(b.imm(bits))
        };
        let op = |b: &mut Builder<'_>, op, srcs: &[Src]| Src::new(b.alu_ty(op, Ty::X32, srcs));
        let mut chosen = dword(b, 0);
        let mut shift = index;
        for number in 1..self.elements.div_ceil(per_dword) {
            let limit = b.imm(number * per_dword).into();
            let low = b.alu_ty(AluOp::ULt, Ty::BOOL, &[index, limit]).into();
            let high = dword(b, number);
            chosen = op(b, AluOp::Select, &[low, chosen, high]);
        }
        if self.elements > per_dword {
            let mask = b.imm(per_dword - 1).into();
            shift = op(b, AluOp::IAnd, &[shift, mask]);
        }
        if bits > 1 {
            let one = b.imm(1).into();
            shift = op(b, AluOp::IShl, &[shift, one]);
        }
        let shifted = op(b, AluOp::UShr, &[chosen, shift]);
        let mask = b.imm((1 << bits) - 1).into();
        let number = op(b, AluOp::IAnd, &[shifted, mask]);
        others.iter().enumerate().fold(first, |value, (i, &other)| {
            let (test, with) = if bits == 1 { (AluOp::INe, 0) } else { (AluOp::IEq, i as u32 + 1) };
            let with = b.imm(with).into();
            let is = b.alu_ty(test, Ty::BOOL, &[number, with]).into();
            b.alu_ty(AluOp::Select, ty, &[is, other, value]).into()
        })
    }
}

/// A part of an array.
struct Place {
    offset: PathOffset,
    /// The component, if the part is one of a vector.
    comp: Option<usize>,
}

impl Content {
    /// What component `comp` of a source is.
    fn of(func: &Function, src: Src, comp: usize) -> Content {
        if let Some(bits) = const_src(func, src.select(comp), 1) {
            return Content::Constant(bits[0]);
        }
        let from = src.swizzle[comp];
        match func.def(src.value).map(|inst| &inst.kind) {
            Some(InstKind::Alu { op: AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4, srcs, .. }) => {
                Content::of(func, srcs[usize::from(from)], 0)
            }
            _ => Content::Value(src.value, from),
        }
    }

    /// A source that reads the content.
    fn build(self, b: &mut Builder<'_>, ty: Ty) -> Src {
        match self {
            Content::Constant(bits) => b.constant(ty, [bits, 0, 0, 0]).into(),
            Content::Value(value, comp) => Src::new(value).select(comp.into()),
        }
    }
}

/// For each variable, its contents if they are only a few.
fn collect(shader: &Shader) -> Vec<Option<Array>> {
    let func = &shader.func;
    let mut arrays: Vec<Option<Array>> = shader.vars.iter().map(Array::new).collect();
    if arrays.iter().all(Option::is_none) {
        return arrays;
    }
    // The number in program order of each definition that is visible in the rest of the program, and of each variable's first
    // load. Results of conditionals and loops are defined behind all that is in these.
    let mut defined: HashMap<Value, usize> = HashMap::new();
    let mut pending: Vec<Value> = Vec::new();
    let mut loaded: Vec<Option<usize>> = vec![None; arrays.len()];
    let mut number = 0;
    walk(func, |_, region, inst| {
        if region == func.body() {
            defined.extend(pending.drain(..).map(|result| (result, number)));
        }
        number += 1;
        let data = func.inst(inst);
        match &data.kind {
            InstKind::LoadVar { var, path } => {
                loaded[var.index()].get_or_insert(number);
                let slot = &mut arrays[var.index()];
                let Some(array) = slot else { return };
                array.dynamic |= path.iter().any(|step| matches!(step, PathStep::Dyn(_)));
                if array.place(shader.var(*var), path).is_none() {
                    *slot = None;
                }
            }
            InstKind::StoreVar { var, path, data, mask } => {
                let slot = &mut arrays[var.index()];
                let Some(array) = slot else { return };
                let place = array.place(shader.var(*var), path);
                let fits =
                    place.filter(|place| place.offset.scaled.is_empty()).is_some_and(|place| {
                        let element = (place.offset.fixed / array.stride()) as usize;
                        let first = place.comp.unwrap_or(0);
                        let count = place.comp.map_or(array.columns.len(), |_| 1);
                        let mut columns =
                            array.columns.iter_mut().skip(first).take(count).enumerate();
                        columns.all(|(comp, column)| {
                            let content = || Content::of(func, *data, comp);
                            !mask.has(comp) || column.set(element, content())
                        })
                    });
                if !fits {
                    *slot = None;
                }
            }
            // Results of loads are left out: this pass may replace them.
            kind if region == func.body() && kind.owns_regions() => pending.extend(&data.results),
            _ if region == func.body() => {
                defined.extend(data.results.iter().map(|&result| (result, number)));
            }
            _ => {}
        }
    });
    for (slot, loaded) in arrays.iter_mut().zip(loaded) {
        let visible = |content: &Content| match content {
            Content::Constant(_) => true,
            Content::Value(value, _) => {
                defined.get(value).is_some_and(|&at| loaded.is_none_or(|first| at < first))
            }
        };
        let hidden = |array: &mut Array| {
            !array.columns.iter().flat_map(|column| &column.contents).all(visible)
        };
        slot.take_if(hidden);
    }
    arrays
}
