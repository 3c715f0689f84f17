//! Checks that two stages fit together: the earlier one must write what the later one reads.

use super::LinkError;
use crate::ir::{InputPrimitive, IoSlot, IoVar, Shader, Stage, StageInfo, TessDomain};

/// Greatest number of slots of a declaration that are checked. The front end allows far fewer.
const MAX_SLOTS: u32 = 1 << 12;

/// Checks that `before` writes the locations that `after` reads, with components of the same size. A built-in that is
/// not written is undefined, which is no error. Outputs that are not read are ignored.
///
/// # Errors
/// The first input that does not fit, or stages that cannot follow each other.
pub fn check(before: &Shader, after: &Shader) -> Result<(), LinkError> {
    let stages = (before.stage.stage(), after.stage.stage());
    let fits = matches!(
        stages,
        (Stage::Vertex, Stage::TessControl | Stage::TessEval | Stage::Geometry | Stage::Fragment)
            | (Stage::TessControl, Stage::TessEval)
            | (Stage::TessEval, Stage::Geometry | Stage::Fragment)
            | (Stage::Geometry, Stage::Fragment)
    );
    if !fits {
        return Err(LinkError::Order { before: stages.0, after: stages.1 });
    }
    if let (StageInfo::TessEval(info), StageInfo::Geometry(geometry)) = (before.stage, after.stage)
    {
        let found = match (info.point_mode, info.domain) {
            (true, _) => InputPrimitive::Points,
            (false, TessDomain::Isolines) => InputPrimitive::Lines,
            (false, _) => InputPrimitive::Triangles,
        };
        if geometry.input != found {
            return Err(LinkError::Primitives { expected: geometry.input, found });
        }
    }
    after.inputs.iter().try_for_each(|input| input_fits(before, input))
}

/// Checks an input that is a location or patch location.
fn input_fits(before: &Shader, input: &IoVar) -> Result<(), LinkError> {
    if !matches!(input.slot, IoSlot::Location(_) | IoSlot::Patch(_)) {
        return Ok(());
    }
    for at in 0..input.slots().min(MAX_SLOTS) {
        let Some(slot) = input.slot.plus(at) else { break };
        let given =
            before.outputs.iter().filter_map(|output| Some((output, output.index_of(slot)?)));
        if given.clone().next().is_none() {
            return Err(LinkError::Missing { name: input.name.clone(), slot });
        }
        let same = given.filter(|(output, _)| output.ty.bits() == input.ty.bits());
        let written = same.fold(0, |mask, (output, at)| mask | output.components(at));
        if input.components(at) & !written != 0 {
            let (name, expected) = (input.name.clone(), input.ty.to_string());
            return Err(LinkError::Components { name, slot, expected, comp: input.comp });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    fn linked(outputs: &str, inputs: &str) -> Result<(), LinkError> {
        let before = parse(&format!("vertex \"v\" {{\n{outputs}\nreturn\n}}")).unwrap();
        let facts = "input_primitive points\noutput_primitive points\nmax_vertices 1";
        let after = parse(&format!("geometry \"g\" {{\n{facts}\n{inputs}\nreturn\n}}")).unwrap();
        check(&before, &after)
    }

    #[test]
    fn parts_and_rows_of_what_is_written_may_be_read() {
        let outputs = "output location 0: 32x4[3] \"rows\"\noutput location 3: 64x3 \"wide\"\n\
             output location 5: 32x2 \"a\"\noutput location 5 comp 2: 32 \"b\"";
        for inputs in [
            "input location 1: 32x3 \"x\"",
            "input location 0: 32x4[3] \"x\"",
            "input location 3: 64x2 \"x\"",
            "input location 5: 32x3 \"x\"",
            "input position: 32x4 \"x\"",
        ] {
            assert_eq!(linked(outputs, inputs), Ok(()), "{inputs}");
        }
        for inputs in ["input location 2: 32x4[2] \"x\"", "input location 5 comp 2: 32x2 \"x\""] {
            let found = linked(outputs, inputs);
            assert!(matches!(found, Err(LinkError::Components { .. })), "{inputs}: {found:?}");
        }
        for inputs in ["input location 6: 32 \"x\"", "input location 4: 64x2[3] \"x\""] {
            let found = linked(outputs, inputs);
            assert!(found.is_err(), "{inputs}: {found:?}");
        }
    }

    #[test]
    fn a_geometry_shader_takes_what_the_tessellator_makes() {
        let eval =
            |facts: &str| parse(&format!("tess_eval \"e\" {{\n{facts}\nreturn\n}}")).unwrap();
        let facts = "input_primitive lines\noutput_primitive points\nmax_vertices 1";
        let lines = parse(&format!("geometry \"g\" {{\n{facts}\nreturn\n}}")).unwrap();
        assert_eq!(check(&eval("domain isolines"), &lines), Ok(()));
        for (facts, found) in [
            ("domain isolines\npoint_mode", InputPrimitive::Points),
            ("domain triangles", InputPrimitive::Triangles),
        ] {
            let expected = InputPrimitive::Lines;
            assert_eq!(check(&eval(facts), &lines), Err(LinkError::Primitives { expected, found }));
        }
    }

    #[test]
    fn the_order_of_stages_matters() {
        let vertex = parse("vertex \"v\" {\nreturn\n}").unwrap();
        let found = check(&vertex, &vertex).unwrap_err().to_string();
        assert_eq!(found, "a Vertex shader cannot be the stage before a Vertex shader");
    }
}
