//! Variables that keep an image, a sampler or a texture. glslang makes them of HLSL's local and static resources.
//!
//! The first resource that is stored to a variable gives its binding. Later ones must be elements of the same binding. The
//! number of the element is in a private variable.

use crestline_ssa::ir::{AluOp, BindingId, Memory, Resource, Src, Ty, VarId, VarTy};

use super::Translator;
use super::pointer::{Base, MemPtr, Pointer};
use super::value::Val;
use crate::error::{ErrorCode, FrontendError, Result};
use crate::spirv::Type;

/// What a variable keeps.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// The resource of the first store, without its element.
    mem: MemPtr,
    /// The binding of the resource.
    binding: BindingId,
    /// The private variable with the number of the element, if the binding is an array.
    element: Option<VarId>,
}

impl Translator<'_, '_> {
    /// The base of a pointer to a new variable of that type, if it keeps a resource.
    pub(super) fn resource_variable(&mut self, pointee: u32) -> Option<Base> {
        let ty = self.globals.types.get(pointee)?;
        if !matches!(ty, Type::Image(_) | Type::SampledImage { .. } | Type::Sampler) {
            return None;
        }
        self.kept.push(None);
        Some(Base::Kept(self.kept.len() - 1))
    }

    /// The resource that the variable with that number keeps.
    ///
    /// # Errors
    /// No store comes before.
    pub(super) fn load_resource(&mut self, variable: usize, pointee: u32) -> Result<Pointer> {
        let Some(Kept { mut mem, element, .. }) = self.kept.get(variable).cloned().flatten() else {
            let detail =
                "expected an image, a sampler or a texture that the variable keeps, found none";
            return Err(FrontendError::new(ErrorCode::UndefinedValue, detail));
        };
        if let (Memory::Image(resource), Some(var)) = (&mut mem.memory, element) {
            let number = self.b().load_var(var, vec![], Ty::X32);
            resource.element = Some(Src::new(number));
            // The decoration of what was stored is not known here.
            self.mark_resource(resource);
        }
        Ok(Pointer { base: Base::Mem(mem), pointee })
    }

    /// Lets the variable with that number keep a resource.
    ///
    /// # Errors
    /// The value is no resource, or one of another binding than the first.
    pub(super) fn store_resource(&mut self, variable: usize, val: &Val) -> Result<()> {
        let fail = |detail: &str| FrontendError::new(ErrorCode::UnsupportedType, detail);
        let base = match val {
            Val::Pointer(pointer) => Some(&pointer.base),
            _ => None,
        };
        let Some(Base::Mem(mem @ MemPtr { memory: Memory::Image(resource), .. })) = base else {
            return Err(fail("expected an image, a sampler or a texture of one binding"));
        };
        let Resource { binding, element } = *resource;
        let kept = match self.kept.get(variable).cloned().flatten() {
            Some(kept) => kept,
            None => {
                let var = element
                    .map(|_| self.new_var(String::new(), VarTy::Vector(Ty::X32), Some(vec![0])));
                let memory = Memory::Image(Resource { binding, element: None });
                let mem = MemPtr { memory, ..mem.clone() };
                let kept = Kept { mem, binding, element: var };
                if let Some(place) = self.kept.get_mut(variable) {
                    *place = Some(kept.clone());
                }
                kept
            }
        };
        if kept.binding != binding {
            return Err(fail(
                "expected a variable that keeps elements of one binding, found a second binding",
            ));
        }
        if let (Some(var), Some(element)) = (kept.element, element) {
            let number = self.b().alu_ty(AluOp::Mov, Ty::X32, &[element]);
            self.b().store_var(var, vec![], number);
        }
        Ok(())
    }
}
