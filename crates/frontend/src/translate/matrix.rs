//! Instructions on matrices. A matrix value is represented by its columns.

use crestline_ssa::ir::{AluOp, Src, Ty, Value};

use super::Translator;
use super::value::Val;
use crate::error::{ErrorCode, Result};
use crate::spirv::{Inst, Type};

impl Translator<'_, '_> {
    /// The columns of operand word `at`, which must be a matrix.
    pub(super) fn columns(&mut self, inst: &Inst<'_>, at: usize) -> Result<Vec<Value>> {
        let (val, ty) = self.operand(inst, at)?;
        if !matches!(self.globals.types.get(ty), Some(Type::Matrix { .. })) {
            let detail = format!("expected a matrix in operand {}, found %{ty}", at + 1);
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let mut columns = Vec::new();
        for (part, ty) in self.parts(&val, ty)? {
            columns.push(self.as_leaf(&part, ty)?);
        }
        Ok(columns)
    }

    /// Binds a matrix result, given by its columns.
    pub(super) fn bind_columns(&mut self, inst: &Inst<'_>, columns: Vec<Value>) -> Result<()> {
        let types = &self.globals.types;
        let fits = match types.get(inst.ty) {
            Some(Type::Matrix { column, count }) => {
                columns.len() == *count as usize
                    && columns.iter().all(|&c| Some(self.shader.func.ty(c)) == types.leaf(*column))
            }
            _ => false,
        };
        if !fits {
            let detail = format!("expected a matrix of {} such columns", columns.len());
            return Err(inst.error(ErrorCode::ResultType, detail));
        }
        self.bind(inst.result, Val::Parts(columns.into_iter().map(Val::Leaf).collect()));
        Ok(())
    }

    /// Operand word `at`, which must have `comps` components of `bits` bits.
    fn sized(&mut self, inst: &Inst<'_>, at: usize, bits: u32, comps: usize) -> Result<Value> {
        let value = self.leaf(inst, at)?;
        let found = self.shader.func.ty(value);
        if (found.bits(), found.comps()) == (bits, comps) {
            return Ok(value);
        }
        let detail = format!("expected {bits}x{comps} in operand {}, found {found}", at + 1);
        Err(inst.error(ErrorCode::OperandType, detail))
    }

    /// The matrix with these columns times `vector`: the sum of the columns, each multiplied by a component of
    /// `vector`. SPIR-V leaves the order of the sum open. It begins with the last column, because the last component of a point is
    /// usually 1, and a sum that begins with a column as it is needs one operation less. Sums of doubles begin with the first
    /// column, as those of other implementations do: where digits cancel, the order shows in the result.
    fn combine(&mut self, columns: &[Value], vector: Value) -> Value {
        let ty = self.shader.func.ty(columns[0]);
        let mut sum = None;
        let mut order: Vec<usize> = (0..columns.len()).collect();
        if ty.bits() < 64 {
            order.reverse();
        }
        for comp in order {
            let column = columns[comp];
            let srcs = [Src::new(column), Src::comp(vector, comp)];
            let product = self.b().alu_ty(AluOp::FMul, ty, &srcs);
            sum = Some(match sum {
                None => product,
                Some(sum) => self.alu(AluOp::FAdd, &[sum, product]),
            });
        }
        sum.unwrap_or(vector)
    }

    /// `OpVectorTimesScalar`.
    pub(super) fn op_vector_times_scalar(&mut self, inst: &Inst<'_>) -> Result<()> {
        let vector = self.leaf(inst, 0)?;
        let ty = self.need_float(inst, vector)?;
        let scalar = self.sized(inst, 1, ty.bits(), 1)?;
        let value = self.alu_splat(AluOp::FMul, ty, &[vector, scalar]);
        self.bind_leaf(inst, value)
    }

    /// `OpMatrixTimesScalar`.
    pub(super) fn op_matrix_times_scalar(&mut self, inst: &Inst<'_>) -> Result<()> {
        let columns = self.columns(inst, 0)?;
        let ty = self.shader.func.ty(columns[0]);
        let scalar = self.sized(inst, 1, ty.bits(), 1)?;
        let scaled =
            columns.iter().map(|&c| self.alu_splat(AluOp::FMul, ty, &[c, scalar])).collect();
        self.bind_columns(inst, scaled)
    }

    /// `OpMatrixTimesVector`.
    pub(super) fn op_matrix_times_vector(&mut self, inst: &Inst<'_>) -> Result<()> {
        let columns = self.columns(inst, 0)?;
        let bits = self.shader.func.ty(columns[0]).bits();
        let vector = self.sized(inst, 1, bits, columns.len())?;
        let value = self.combine(&columns, vector);
        self.bind_leaf(inst, value)
    }

    /// `OpVectorTimesMatrix`.
    pub(super) fn op_vector_times_matrix(&mut self, inst: &Inst<'_>) -> Result<()> {
        let columns = self.columns(inst, 1)?;
        let ty = self.shader.func.ty(columns[0]);
        let vector = self.sized(inst, 0, ty.bits(), ty.comps())?;
        let comps: Vec<Src> =
            columns.iter().map(|&column| Src::new(self.dot(vector, column))).collect();
        let value = self.b().vec(&comps);
        self.bind_leaf(inst, value)
    }

    /// `OpMatrixTimesMatrix`.
    pub(super) fn op_matrix_times_matrix(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (left, right) = (self.columns(inst, 0)?, self.columns(inst, 1)?);
        let (inner, ty) = (self.shader.func.ty(left[0]), self.shader.func.ty(right[0]));
        if ty.comps() != left.len() || ty.bits() != inner.bits() {
            let detail = format!("expected columns of {}x{}, found {ty}", inner.bits(), left.len());
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        let columns = right.iter().map(|&column| self.combine(&left, column)).collect();
        self.bind_columns(inst, columns)
    }

    /// `OpOuterProduct`.
    pub(super) fn op_outer_product(&mut self, inst: &Inst<'_>) -> Result<()> {
        let (column, row) = (self.leaf(inst, 0)?, self.leaf(inst, 1)?);
        let ty = self.need_float(inst, column)?;
        let row_ty = self.shader.func.ty(row);
        if row_ty.bits() != ty.bits() {
            return Err(inst.error(ErrorCode::OperandType, "expected vectors of one float size"));
        }
        let mut columns = Vec::new();
        for comp in 0..row_ty.comps() {
            let srcs = [Src::new(column), Src::comp(row, comp)];
            columns.push(self.b().alu_ty(AluOp::FMul, ty, &srcs));
        }
        self.bind_columns(inst, columns)
    }

    /// `OpTranspose`.
    pub(super) fn op_transpose(&mut self, inst: &Inst<'_>) -> Result<()> {
        let columns = self.columns(inst, 0)?;
        let rows = self.shader.func.ty(columns[0]).comps();
        let mut transposed = Vec::new();
        for row in 0..rows {
            let comps: Vec<Src> = columns.iter().map(|&c| Src::comp(c, row)).collect();
            transposed.push(self.b().vec(&comps));
        }
        self.bind_columns(inst, transposed)
    }

    /// The scalars of a square matrix operand: entry `[column][row]`.
    fn square(&mut self, inst: &Inst<'_>, at: usize) -> Result<Vec<Vec<Value>>> {
        let columns = self.columns(inst, at)?;
        let ty: Ty = self.shader.func.ty(columns[0]);
        if ty.comps() != columns.len() {
            let detail =
                format!("expected a square matrix, found {} columns of {ty}", columns.len());
            return Err(inst.error(ErrorCode::OperandType, detail));
        }
        Ok(columns
            .iter()
            .map(|&column| (0..ty.comps()).map(|row| self.b().comp(column, row)).collect())
            .collect())
    }

    /// The determinant of a square matrix `[column][row]`, by cofactor expansion along the first column.
    fn minor(&mut self, m: &[Vec<Value>]) -> Value {
        if m.len() == 1 {
            return m[0][0];
        }
        let mut sum = None;
        for row in 0..m.len() {
            let rest = without(m, 0, row);
            let inner = self.minor(&rest);
            let term = self.alu(AluOp::FMul, &[m[0][row], inner]);
            sum = Some(match sum {
                None => term,
                Some(sum) if row % 2 == 1 => self.alu(AluOp::FSub, &[sum, term]),
                Some(sum) => self.alu(AluOp::FAdd, &[sum, term]),
            });
        }
        sum.unwrap_or(m[0][0])
    }

    /// The determinant of a matrix operand.
    pub(super) fn determinant(&mut self, inst: &Inst<'_>, at: usize) -> Result<Value> {
        let m = self.square(inst, at)?;
        Ok(self.minor(&m))
    }

    /// The columns of the inverse of a matrix operand: the transposed cofactors divided by the determinant.
    pub(super) fn inverse(&mut self, inst: &Inst<'_>, at: usize) -> Result<Vec<Value>> {
        let m = self.square(inst, at)?;
        let n = m.len();
        // Entry `[column][row]`. The cofactors of the first column also give the determinant.
        let mut cofactors = vec![Vec::new(); n];
        for (column, list) in cofactors.iter_mut().enumerate() {
            for row in 0..n {
                let rest = without(&m, column, row);
                let minor = self.minor(&rest);
                let odd = (row + column) % 2 == 1;
                list.push(if odd { self.alu(AluOp::FNeg, &[minor]) } else { minor });
            }
        }
        let mut determinant = self.alu(AluOp::FMul, &[m[0][0], cofactors[0][0]]);
        for row in 1..n {
            let term = self.alu(AluOp::FMul, &[m[0][row], cofactors[0][row]]);
            determinant = self.alu(AluOp::FAdd, &[determinant, term]);
        }
        let scale = self.alu(AluOp::FRcp, &[determinant]);
        let mut columns = Vec::new();
        for column in 0..n {
            // The inverse is the transposed matrix of cofactors.
            let comps: Vec<Src> = cofactors.iter().map(|list| Src::new(list[column])).collect();
            let line = self.b().vec(&comps);
            let ty = self.shader.func.ty(line);
            columns.push(self.alu_splat(AluOp::FMul, ty, &[line, scale]));
        }
        Ok(columns)
    }
}

/// The matrix without one column and one row.
fn without(m: &[Vec<Value>], column: usize, row: usize) -> Vec<Vec<Value>> {
    let keep = |skip: usize| move |&(i, _): &(usize, _)| i != skip;
    m.iter()
        .enumerate()
        .filter(|&(i, _)| i != column)
        .map(|(_, c)| c.iter().copied().enumerate().filter(keep(row)).map(|(_, v)| v).collect())
        .collect()
}
