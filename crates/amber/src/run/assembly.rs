//! An assembler of SPIR-V text.
pub(super) struct AssemblyError {
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) message: String,
}
pub(super) fn assemble(_: &str, _: u32) -> Result<Vec<u32>, AssemblyError> {
    Err(AssemblyError { line: 1, column: 1, message: "not yet".into() })
}
