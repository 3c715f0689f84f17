//! The table of types by id. Declarations are checked: a type refers to earlier types only, so no type contains itself.

use std::rc::Rc;

use crestline_ssa::ir::{Ty, VarTy};
use rspirv::spirv::{Op, StorageClass};

use super::reader::Inst;
use crate::error::{ErrorCode, FrontendError, Result};
use crate::ids::IdMap;

/// Depth to which types may nest, because walks over a type are recursive: that of structures by the universal limits of SPIR-V
/// (SPIR-V, "Universal Limits").
const MAX_DEPTH: u32 = 255;

/// The most nodes of a type written out as a tree. It limits the time of walks over a type: parts may be shared, so the
/// tree can be much larger than the module.
const MAX_NODES: u64 = 1 << 14;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// No value.
    Void,
    /// A boolean.
    Bool,
    /// An integer.
    Int {
        /// 8, 16, 32 or 64.
        bits: u32,
        /// Whether the type is declared signed. It decides how integers are extended or narrowed to the width that the
        /// IR requires.
        signed: bool,
    },
    /// An IEEE 754 number.
    Float {
        /// 16, 32 or 64.
        bits: u32,
    },
    /// A vector.
    Vector {
        /// Scalar type of the components.
        elem: u32,
        /// Components, 2 to 4.
        count: u32,
    },
    /// A matrix.
    Matrix {
        /// Vector type of the columns.
        column: u32,
        /// Columns, 2 to 4.
        count: u32,
    },
    /// An array.
    Array {
        /// Type of the elements.
        elem: u32,
        /// Elements, at least 1.
        count: u32,
    },
    /// An array whose length results from the size of the buffer.
    RuntimeArray {
        /// Type of the elements.
        elem: u32,
    },
    /// A structure.
    Struct {
        /// Types of the members.
        members: Rc<[u32]>,
    },
    /// A pointer.
    Pointer {
        /// The storage class of what it points to.
        class: StorageClass,
        /// The type that it points to. It may not exist if the pointer was declared forward.
        pointee: u32,
    },
    /// A function.
    Function {
        /// The return type.
        ret: u32,
        /// The parameter types.
        params: Rc<[u32]>,
    },
    /// An image.
    Image(ImageType),
    /// An image with the sampler that reads it.
    SampledImage {
        /// The image's type.
        image: u32,
    },
    /// A sampler.
    Sampler,
    /// A type that the compiler does not support, such as ray queries; its name in words.
    Opaque(&'static str),
}

/// What an image type declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImageType {
    /// Type of a component of a texel.
    pub(crate) component: u32,
    /// Number of the dimensions in SPIR-V.
    pub(crate) dim: u32,
    /// Whether the image is an array of layers.
    pub(crate) arrayed: bool,
    /// Whether a texel has several samples.
    pub(crate) multisampled: bool,
    /// The `Sampled` operand: 1 for use with a sampler, 2 for use without, 0 if only known at run time.
    pub(crate) sampled: u32,
    /// Number of the format in SPIR-V; 0 if it is not known.
    pub(crate) format: u32,
}

#[derive(Clone, Debug)]
struct Entry {
    ty: Type,
    /// Levels of nesting, at least 1.
    depth: u32,
    /// Number of scalars, vectors and matrix columns; `u64::MAX` with a runtime array.
    leaves: u64,
    /// Nodes of the type written out as a tree, an array's elements counted once.
    nodes: u64,
    /// See [`Types::is_bulky`].
    bulky: bool,
}

/// The name of the placeholder for a pointer type that is declared later.
const FORWARD: &str = "pointer with a forward declaration";

/// The most leaves of an array that the translation represents as separate IR values. A thread has no registers for
/// more, at any SIMD width.
const MAX_ARRAY_VALUES: u64 = 128;

/// All types of a module.
#[derive(Debug, Default)]
pub(crate) struct Types {
    table: IdMap<Entry>,
}

impl Types {
    /// The type with that id.
    pub(crate) fn get(&self, id: u32) -> Option<&Type> {
        self.table.get(&id).map(|e| &e.ty)
    }

    /// The array types with elements of type `elem`, in any order.
    pub(crate) fn arrays_of(&self, elem: u32) -> impl Iterator<Item = u32> {
        let is_array = move |ty: &Type| match ty {
            Type::Array { elem: found, .. } | Type::RuntimeArray { elem: found } => *found == elem,
            _ => false,
        };
        self.table.iter().filter(move |(_, entry)| is_array(&entry.ty)).map(|(&id, _)| id)
    }

    /// The type with that id in words, for errors. For a vector it includes the component type.
    pub(crate) fn describe(&self, id: u32) -> String {
        match self.get(id) {
            Some(Type::Vector { elem, count }) => match self.get(*elem) {
                Some(Type::Int { bits, .. }) => {
                    format!("a vector of {count} integers of {bits} bits")
                }
                Some(Type::Float { bits }) => format!("a vector of {count} floats of {bits} bits"),
                _ => format!("a vector of {count} booleans"),
            },
            Some(ty) => ty.describe(),
            None => "nothing".into(),
        }
    }

    /// The type with that id, which must exist.
    pub(crate) fn expect(&self, id: u32) -> Result<&Type> {
        self.get(id).ok_or_else(|| {
            FrontendError::new(ErrorCode::NotAType, format!("expected a type, found %{id}"))
        })
    }

    /// Number of scalars, vectors and matrix columns in a type.
    pub(crate) fn leaves(&self, id: u32) -> u64 {
        self.table.get(&id).map_or(0, |e| e.leaves)
    }

    /// Whether the type contains an array of more than [`MAX_ARRAY_VALUES`] leaves. Values of such types stay in
    /// memory.
    pub(crate) fn is_bulky(&self, id: u32) -> bool {
        self.table.get(&id).is_some_and(|e| e.bulky)
    }

    /// The IR type of a scalar, a vector, or a pointer that can be a value; `None` for other types.
    pub(crate) fn leaf(&self, id: u32) -> Option<Ty> {
        match *self.get(id)? {
            Type::Bool => Some(Ty::BOOL),
            Type::Int { bits, .. } | Type::Float { bits } => Ty::new(bits, 1).ok(),
            Type::Vector { elem, count } => Some(self.leaf(elem)?.with_comps(count as usize)),
            // Pointers as values; `translate::pointer_value` describes them.
            Type::Pointer { class, .. } => match class {
                StorageClass::PhysicalStorageBuffer => Some(Ty::X64),
                StorageClass::StorageBuffer => Some(Ty::X32.with_comps(3)),
                StorageClass::Workgroup => Some(Ty::X32),
                _ => None,
            },
            _ => None,
        }
    }

    /// The scalar type of a scalar, vector or matrix.
    pub(crate) fn scalar(&self, id: u32) -> Option<&Type> {
        match self.get(id)? {
            Type::Vector { elem, .. } => self.scalar(*elem),
            Type::Matrix { column, .. } => self.scalar(*column),
            ty @ (Type::Bool | Type::Int { .. } | Type::Float { .. }) => Some(ty),
            _ => None,
        }
    }

    /// Whether a scalar or vector is of floats.
    pub(crate) fn is_float(&self, id: u32) -> bool {
        matches!(self.scalar(id), Some(Type::Float { .. }))
    }

    /// Whether a scalar or vector is of integers.
    pub(crate) fn is_int(&self, id: u32) -> bool {
        matches!(self.scalar(id), Some(Type::Int { .. }))
    }

    /// Number of direct parts of a composite.
    pub(crate) fn parts(&self, id: u32) -> Option<u32> {
        match self.get(id)? {
            Type::Vector { count, .. } | Type::Matrix { count, .. } | Type::Array { count, .. } => {
                Some(*count)
            }
            Type::Struct { members } => Some(members.len() as u32),
            _ => None,
        }
    }

    /// The type of part `index` of a composite.
    pub(crate) fn part(&self, id: u32, index: u32) -> Option<u32> {
        let count = self.parts(id)?;
        match self.get(id)? {
            _ if index >= count => None,
            Type::Vector { elem, .. } | Type::Array { elem, .. } => Some(*elem),
            Type::Matrix { column, .. } => Some(*column),
            Type::Struct { members } => Some(members[index as usize]),
            _ => None,
        }
    }

    /// Whether a value of type `whole` has a part of type `part`, or is one.
    pub(crate) fn contains(&self, whole: u32, part: u32) -> bool {
        whole == part
            || match self.get(whole) {
                Some(
                    Type::Vector { elem, .. }
                    | Type::Array { elem, .. }
                    | Type::RuntimeArray { elem },
                ) => self.contains(*elem, part),
                Some(Type::Matrix { column, .. }) => self.contains(*column, part),
                Some(Type::Struct { members }) => {
                    members.iter().any(|&member| self.contains(member, part))
                }
                _ => false,
            }
    }

    /// The IR type of a private variable of that type.
    pub(crate) fn var_ty(&self, id: u32) -> Result<VarTy> {
        if let Some(ty) = self.leaf(id) {
            return Ok(VarTy::Vector(ty));
        }
        match self.expect(id)? {
            Type::Matrix { column, count } => {
                Ok(VarTy::Array(Box::new(self.var_ty(*column)?), *count))
            }
            Type::Array { elem, count } => Ok(VarTy::Array(Box::new(self.var_ty(*elem)?), *count)),
            // The IR has no structures without members and no variables without contents. Nothing accesses the number that
            // stands for one.
            Type::Void => Ok(VarTy::Vector(Ty::X32)),
            Type::Struct { members } if members.is_empty() => Ok(VarTy::Vector(Ty::X32)),
            Type::Struct { members } => {
                Ok(VarTy::Struct(members.iter().map(|&m| self.var_ty(m)).collect::<Result<_>>()?))
            }
            Type::Pointer { .. } => Err(FrontendError::new(
                ErrorCode::VariablePointer,
                "expected a variable that contains numbers only, found a pointer in it",
            )),
            other => Err(FrontendError::new(
                ErrorCode::UnsupportedType,
                format!(
                    "expected a variable that contains numbers only, found {}",
                    other.describe()
                ),
            )),
        }
    }

    /// Whether two types have the same structure: equal scalars, counts and members. Decorations may differ.
    pub(crate) fn same_shape(&self, a: u32, b: u32) -> bool {
        if a == b {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (Some(Type::Array { elem: x, count: m }), Some(Type::Array { elem: y, count: n })) => {
                m == n && self.same_shape(*x, *y)
            }
            (Some(Type::Struct { members: x }), Some(Type::Struct { members: y })) => {
                x.len() == y.len() && x.iter().zip(&**y).all(|(&x, &y)| self.same_shape(x, y))
            }
            (Some(x), Some(y)) => x == y,
            _ => false,
        }
    }

    /// Adds the type that `inst` declares. `length` returns the value of an array length constant by id.
    pub(crate) fn declare(
        &mut self,
        inst: &Inst<'_>,
        length: impl Fn(u32) -> Result<u64>,
    ) -> Result<()> {
        let ty = match inst.op {
            Op::TypeForwardPointer => return self.declare_forward(inst),
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Bool,
            Op::TypeInt => match (inst.word(0)?, inst.word(1)?) {
                (bits @ (8 | 16 | 32 | 64), signed) => Type::Int { bits, signed: signed != 0 },
                (bits, _) => return Err(odd_width(inst, bits)),
            },
            Op::TypeFloat => match (inst.word(0)?, inst.rest(1)) {
                (bits @ (16 | 32 | 64), []) => Type::Float { bits },
                (bits, []) => return Err(odd_width(inst, bits)),
                _ => Type::Opaque("float with an encoding other than IEEE 754"),
            },
            Op::TypeVector => {
                let (elem, count) = (inst.word(0)?, inst.word(1)?);
                self.need(inst, elem, "a scalar", |t| {
                    matches!(t, Type::Bool | Type::Int { .. } | Type::Float { .. })
                })?;
                check_count(inst, count)?;
                Type::Vector { elem, count }
            }
            Op::TypeMatrix => {
                let (column, count) = (inst.word(0)?, inst.word(1)?);
                self.need(inst, column, "a vector", |t| matches!(t, Type::Vector { .. }))?;
                if !self.is_float(column) {
                    return Err(inst.error(ErrorCode::NotAType, "expected columns of floats"));
                }
                check_count(inst, count)?;
                Type::Matrix { column, count }
            }
            Op::TypeArray => {
                let elem = inst.word(0)?;
                self.need(inst, elem, "an element type", is_data)?;
                let count = length(inst.word(1)?).map_err(|e| e.at(inst.position()))?;
                match u32::try_from(count) {
                    Ok(count) if count > 0 => Type::Array { elem, count },
                    _ => {
                        let detail = format!("expected 1 to 2^32 - 1 elements, found {count}");
                        return Err(inst.error(ErrorCode::TooLarge, detail));
                    }
                }
            }
            Op::TypeRuntimeArray => {
                let elem = inst.word(0)?;
                self.need(inst, elem, "an element type", is_data)?;
                Type::RuntimeArray { elem }
            }
            Op::TypeStruct => {
                for &member in inst.operands {
                    self.need(inst, member, "a member type", is_data)?;
                }
                Type::Struct { members: inst.operands.into() }
            }
            Op::TypePointer => {
                let class = StorageClass::from_u32(inst.word(0)?).ok_or_else(|| {
                    let detail = format!("expected a storage class, found {}", inst.operands[0]);
                    inst.error(ErrorCode::BadEnumerant, detail)
                })?;
                let pointee = inst.word(1)?;
                self.need(inst, pointee, "a pointee type", |_| true)?;
                Type::Pointer { class, pointee }
            }
            Op::TypeImage => Type::Image(ImageType {
                component: inst.word(0)?,
                dim: inst.word(1)?,
                arrayed: inst.word(3)? != 0,
                multisampled: inst.word(4)? != 0,
                sampled: inst.word(5)?,
                format: inst.word(6)?,
            }),
            Op::TypeSampledImage => {
                let image = inst.word(0)?;
                self.need(inst, image, "an image", |t| matches!(t, Type::Image(_)))?;
                Type::SampledImage { image }
            }
            Op::TypeSampler => Type::Sampler,
            Op::TypeFunction => {
                for &id in inst.operands {
                    self.need(inst, id, "a type", |_| true)?;
                }
                Type::Function { ret: inst.word(0)?, params: inst.rest(1).into() }
            }
            _ => Type::Opaque(inst.name),
        };
        self.insert(inst, ty)
    }

    /// Adds a placeholder for a pointer type that is declared later. That declaration replaces it.
    fn declare_forward(&mut self, inst: &Inst<'_>) -> Result<()> {
        let ty = Type::Opaque(FORWARD);
        self.table.entry(inst.word(0)?).or_insert(Entry {
            ty,
            depth: 1,
            leaves: 1,
            nodes: 1,
            bulky: false,
        });
        Ok(())
    }

    /// Adds a type to the table, with its nesting and its numbers of leaves and nodes.
    fn insert(&mut self, inst: &Inst<'_>, ty: Type) -> Result<()> {
        // Another type could contain itself.
        let forward = matches!(self.get(inst.result), Some(Type::Opaque(FORWARD)));
        if forward && !matches!(ty, Type::Pointer { .. }) {
            let detail = format!(
                "expected a pointer type, which OpTypeForwardPointer announces, found {}",
                ty.describe()
            );
            return Err(inst.error(ErrorCode::NotAType, detail));
        }
        let under = |ids: &[u32], types: &Types| {
            ids.iter().filter_map(|id| types.table.get(id)).map(|e| e.depth).max().unwrap_or(0)
        };
        let (depth, leaves) = match &ty {
            Type::Matrix { count, .. } => (2, u64::from(*count)),
            Type::Array { elem, count } => {
                (under(&[*elem], self), self.leaves(*elem).saturating_mul(u64::from(*count)))
            }
            Type::RuntimeArray { elem } => (under(&[*elem], self), u64::MAX),
            Type::Struct { members } => {
                let leaves = members.iter().fold(0u64, |n, &m| n.saturating_add(self.leaves(m)));
                (under(members, self), leaves.max(1))
            }
            _ => (0, 1),
        };
        let parts: &[u32] = match &ty {
            Type::Array { elem, .. } | Type::RuntimeArray { elem } => &[*elem],
            Type::Struct { members } => members,
            _ => &[],
        };
        let entries = parts.iter().filter_map(|id| self.table.get(id));
        let nodes = entries.fold(1u64, |n, e| n.saturating_add(e.nodes));
        if depth >= MAX_DEPTH || nodes > MAX_NODES {
            let detail =
                format!("expected at most {MAX_DEPTH} levels of nesting and {MAX_NODES} nodes");
            return Err(inst.error(ErrorCode::TypeNesting, detail));
        }
        let bulky = match &ty {
            Type::Array { .. } => leaves > MAX_ARRAY_VALUES,
            Type::Struct { members } => members.iter().any(|&member| self.is_bulky(member)),
            _ => false,
        };
        self.table.insert(inst.result, Entry { ty, depth: depth + 1, leaves, nodes, bulky });
        Ok(())
    }

    /// Checks that type `id` exists and satisfies `fits`; `what` describes the expected type in the error.
    fn need(
        &self,
        inst: &Inst<'_>,
        id: u32,
        what: &str,
        fits: impl Fn(&Type) -> bool,
    ) -> Result<()> {
        match self.get(id) {
            Some(ty) if fits(ty) => Ok(()),
            Some(ty) => {
                let detail = format!("expected {what}, found %{id}, {}", ty.describe());
                Err(inst.error(ErrorCode::NotAType, detail))
            }
            None => {
                let detail = format!("expected {what} declared earlier, found %{id}");
                Err(inst.error(ErrorCode::NotAType, detail))
            }
        }
    }
}

impl Type {
    /// The type in words, for errors.
    pub(crate) fn describe(&self) -> String {
        match self {
            Type::Void => "void".into(),
            Type::Bool => "a boolean".into(),
            Type::Int { bits, .. } => format!("an integer of {bits} bits"),
            Type::Float { bits } => format!("a float of {bits} bits"),
            Type::Vector { count, .. } => format!("a vector of {count}"),
            Type::Matrix { count, .. } => format!("a matrix of {count} columns"),
            Type::Array { count, .. } => format!("an array of {count}"),
            Type::RuntimeArray { .. } => "a runtime array".into(),
            Type::Struct { members } => format!("a structure of {} members", members.len()),
            Type::Pointer { class, .. } => format!("a {class:?} pointer"),
            Type::Function { .. } => "a function type".into(),
            Type::Image(_) => "an image".into(),
            Type::SampledImage { .. } => "an image with a sampler".into(),
            Type::Sampler => "a sampler".into(),
            Type::Opaque(name) => format!("an opaque type ({name})"),
        }
    }
}

/// Whether the type can be a part of a composite.
fn is_data(ty: &Type) -> bool {
    !matches!(ty, Type::Void | Type::Function { .. })
}

fn check_count(inst: &Inst<'_>, count: u32) -> Result<()> {
    if (2..=4).contains(&count) {
        return Ok(());
    }
    Err(inst
        .error(ErrorCode::UnsupportedType, format!("expected 2 to 4 components, found {count}")))
}

fn odd_width(inst: &Inst<'_>, bits: u32) -> FrontendError {
    inst.error(
        ErrorCode::UnsupportedType,
        format!("expected 8 (integers only), 16, 32 or 64 bits, found {bits}"),
    )
}
