//! Statements and expressions.

use super::{Kind, TOTALS, Varying, Writer};

impl Writer {
    /// Stores 0 to all outputs.
    pub(super) fn clear(&mut self, outputs: &[Varying], name: &str, vertex: &str) {
        for (at, output) in outputs.iter().enumerate() {
            let ty = output.kind.name(output.comps);
            let elements = (0..output.count.max(1)).map(|element| match output.count {
                0 => String::new(),
                _ => format!("[{element}]"),
            });
            for element in elements.collect::<Vec<_>>() {
                self.line(&format!("{name}{at}{vertex}{element} = {ty}(0);"));
            }
        }
    }

    /// Random statements, some of which store outputs, then a store to a part of each output.
    pub(super) fn body(&mut self, outputs: &[Varying], name: &str, vertex: &str) {
        let statements = 2 + self.random.below(5);
        for _ in 0..statements {
            self.statement(2, outputs, name, vertex);
        }
        if self.returns && self.random.below(3) == 0 {
            let condition = self.condition();
            self.line(&format!("if ({condition}) return;"));
        }
        for at in 0..outputs.len() {
            self.store(at, outputs, name, vertex);
        }
    }

    /// A store to output number `at`: to all of it, to a component, or to an element.
    pub(super) fn store(&mut self, at: usize, outputs: &[Varying], name: &str, vertex: &str) {
        let Some(output) = outputs.get(at) else { return };
        let element = match (output.count, self.random.below(2)) {
            (0, _) => String::new(),
            (count, 0) => format!("[{}]", self.random.below(count)),
            (count, _) => format!("[{} % {count}u]", self.uint(1)),
        };
        let value = match output.kind {
            Kind::Float => format!("float(int({}) & 1023)", self.float()),
            Kind::Int => self.int(1),
            Kind::Uint => self.uint(1),
            Kind::Double => format!("double(int({}) & 1023)", self.double()),
        };
        let whole = format!("{name}{at}{vertex}{element}");
        match (output.comps, self.random.below(3)) {
            (1, _) => self.line(&format!("{whole} = {value};")),
            (comps, 0) if self.random.below(4) == 0 => {
                let index = self.uint(1);
                self.line(&format!("{whole}[{index} % {comps}u] = {value};"));
            }
            (comps, 0) => {
                let comp = &"xyzw"[self.random.below(comps)..][..1];
                self.line(&format!("{whole}.{comp} = {value};"));
            }
            (comps, _) => {
                self.line(&format!("{whole} = {}({value});", output.kind.name(comps)));
            }
        }
    }

    pub(super) fn statement(
        &mut self,
        depth: usize,
        outputs: &[Varying],
        name: &str,
        vertex: &str,
    ) {
        let to = self.random.below(3);
        match self.random.below(if depth > 0 { 14 } else { 9 }) {
            0 => {
                let value = self.float();
                self.line(&format!("f{to} = float(int({value}) & 1023);"));
            }
            1 => {
                let value = self.uint(2);
                self.line(&format!("u{to} = {value};"));
            }
            2 => {
                let value = self.int(2);
                self.line(&format!("i{to} = {value};"));
            }
            3 => {
                let (index, value) = (self.uint(1), self.uint(1));
                self.line(&format!("list[{index} & 3u] = {value};"));
            }
            4 => {
                let (total, value) = (self.random.below(TOTALS), self.uint(1));
                // How often a stage runs for a vertex is not defined, so a repetition must not change the result.
                let call = if total % 2 == 0 { "atomicOr" } else { "atomicMax" };
                self.line(&format!("{call}(totals[{total}], {value});"));
            }
            5 | 6 => {
                let at = self.random.below(outputs.len());
                self.store(at, outputs, name, vertex);
            }
            7 if self.features.doubles => {
                let value = self.double();
                self.line(&format!("d{to} = double(int({value}) & 1023);"));
            }
            7 => {
                let value = self.uint(1);
                self.line(&format!("i{to} += int(churn(u{to}, {value}));"));
            }
            8 if self.features.small => self.small_statement(),
            8 => self.line(&format!("u{to} ^= u{to} >> 5u;")),
            9 | 10 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.nested(depth, outputs, name, vertex);
                if self.random.below(2) == 0 {
                    self.line("} else {");
                    self.nested(depth, outputs, name, vertex);
                }
                self.line("}");
            }
            11 => self.switch(depth, outputs, name, vertex),
            _ => {
                let counter = format!("k{}", self.loops);
                self.loops += 1;
                let end = match self.random.below(2) {
                    0 => format!("int({} & 3u)", self.uint(0)),
                    _ => (1 + self.random.below(4)).to_string(),
                };
                self.line(&format!("for (int {counter} = 0; {counter} < {end}; ++{counter}) {{"));
                self.nested(depth, outputs, name, vertex);
                if self.random.below(2) == 0 {
                    let condition = self.condition();
                    let leave = *self.random.pick(&["break", "continue"]);
                    self.line(&format!("    if ({condition}) {leave};"));
                    self.line(&format!("    u{to} ^= uint({counter});"));
                }
                self.line("}");
            }
        }
    }

    /// A statement with small integers or half floats.
    fn small_statement(&mut self) {
        let (a, b) = (self.random.below(2), self.random.below(2));
        match self.random.below(6) {
            0 => {
                let value = self.uint(1);
                self.line(&format!("h{a} = uint16_t({value});"));
            }
            1 => self.line(&format!("h{a} = h{a} * h{b} + uint16_t(b{b});")),
            2 => {
                let value = self.int(1);
                self.line(&format!("b{a} = int8_t({value});"));
            }
            3 => self.line(&format!("b{a} = b{b} - int8_t(h{a} >> uint16_t({}));", 1 + b)),
            4 => {
                let value = self.float();
                self.line(&format!("q0 = float16_t(int({value}) & 31);"));
            }
            _ => self.line("q0 = float16_t(int(q0 * q0 + float16_t(3)) & 31);"),
        }
    }

    /// A `switch` with cases that end and cases that fall through.
    fn switch(&mut self, depth: usize, outputs: &[Varying], name: &str, vertex: &str) {
        let value = self.uint(1);
        self.line(&format!("switch ({value} & 3u) {{"));
        for case in 0..1 + self.random.below(4) {
            self.line(&format!("case {case}u:"));
            self.nested(depth, outputs, name, vertex);
            if self.random.below(3) > 0 {
                self.line("    break;");
            }
        }
        if self.random.below(2) == 0 {
            self.line("default:");
            self.nested(depth, outputs, name, vertex);
        }
        self.line("}");
    }

    fn nested(&mut self, depth: usize, outputs: &[Varying], name: &str, vertex: &str) {
        self.indent += 1;
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth - 1, outputs, name, vertex);
        }
        self.indent -= 1;
    }

    pub(super) fn condition(&mut self) -> String {
        match self.random.below(4) {
            0 => format!("{} < {}", self.float(), self.float()),
            1 => format!("{} > {}", self.int(1), self.int(1)),
            2 => format!("({} & 3u) == {}u", self.uint(1), self.random.below(4)),
            _ => format!("({} <= {} || u0 != {})", self.float(), self.float(), self.uint(1)),
        }
    }

    /// An input of a kind, if the stage has one.
    fn input(&mut self, kind: Kind) -> Option<String> {
        let all: Vec<&String> =
            self.reads.iter().filter(|(of, _)| *of == kind).map(|(_, text)| text).collect();
        if all.is_empty() { None } else { Some((*self.random.pick(&all)).clone()) }
    }

    /// A float expression: a whole number of less than 22 bits.
    pub(super) fn float(&mut self) -> String {
        let [a, b, c] = [(); 3].map(|()| self.simple_float());
        match self.random.below(7) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b} + {c})"),
            3 => format!("min({a}, {b})"),
            4 => format!("max({a} - {b}, {c})"),
            5 => format!("floor({a} * 0.25)"),
            _ => a,
        }
    }

    /// A double expression: a whole number of less than 22 bits.
    fn double(&mut self) -> String {
        let [a, b, c] = [(); 3].map(|()| self.simple_double());
        match self.random.below(7) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b} + {c})"),
            3 => format!("min({a}, {b})"),
            4 => format!("max({a} - {b}, {c})"),
            5 => format!("floor({a} * 0.25LF)"),
            _ => a,
        }
    }

    fn simple_double(&mut self) -> String {
        match self.random.below(6) {
            0 | 1 => format!("d{}", self.random.below(3)),
            2 => format!("{}.0LF", self.random.below(100)),
            3 => format!("double({} & 255u)", self.uint(0)),
            4 => format!("double(f{})", self.random.below(3)),
            _ => self.input(Kind::Double).unwrap_or_else(|| "d1".to_owned()),
        }
    }

    fn simple_float(&mut self) -> String {
        match self.random.below(7) {
            6 if self.features.doubles => format!("float(d{})", self.random.below(3)),
            6 if self.features.small => "float(q0)".to_owned(),
            0 | 1 => format!("f{}", self.random.below(3)),
            2 => format!("{}.0", self.random.below(100)),
            3 => format!("float({} & 255u)", self.uint(0)),
            _ => self.input(Kind::Float).unwrap_or_else(|| "f1".to_owned()),
        }
    }

    pub(super) fn uint(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(4) == 0 {
            return match self.random.below(8) {
                7 if self.features.small => format!("uint(h{})", self.random.below(2)),
                0..=2 => format!("u{}", self.random.below(3)),
                3 => format!("{}u", self.random.below(300)),
                4 => format!("list[{}]", self.random.below(4)),
                _ => self.input(Kind::Uint).unwrap_or_else(|| "u2".to_owned()),
            };
        }
        let (a, b) = (self.uint(depth - 1), self.uint(depth - 1));
        match self.random.below(9) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b})"),
            3 => format!("({a} & {b})"),
            4 => format!("({a} ^ {b})"),
            5 => format!("({a} << ({b} & 7u))"),
            6 => format!("({a} / ({b} & 6u | 1u))"),
            7 => format!("uint({})", self.int(depth - 1)),
            _ => format!("(u1 > {a} ? {a} : {b})"),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.below(4) == 0 {
            return match self.random.below(8) {
                7 if self.features.small => format!("int(b{})", self.random.below(2)),
                6 if self.features.doubles => format!("int(d{})", self.random.below(3)),
                0 | 1 => format!("i{}", self.random.below(3)),
                2 => format!("{}", self.random.below(200)),
                3 => format!("int(f{})", self.random.below(3)),
                _ => self.input(Kind::Int).unwrap_or_else(|| "i1".to_owned()),
            };
        }
        let (a, b) = (self.int(depth - 1), self.int(depth - 1));
        match self.random.below(7) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} * {b})"),
            3 => format!("max({a}, {b})"),
            4 => format!("({a} >> ({b} & 15))"),
            5 => format!("(-{a})"),
            _ => format!("int({})", self.uint(depth - 1)),
        }
    }
}
