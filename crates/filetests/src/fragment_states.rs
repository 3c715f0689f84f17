//! Fragment shaders whose outputs and built-ins depend on the fixed functions. `tests/fragment_states.rs` draws them.

/// What a case needs besides its shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Triangles.
    Triangles,
    /// Points.
    Points,
    /// Lines.
    Lines,
    /// Blending with a second colour.
    DualSource,
    /// The stencil test.
    Stencil,
    /// Alpha to coverage.
    Alpha,
}

/// A shader with the number of its attachments.
#[derive(Debug)]
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// What it needs.
    pub needs: Needs,
    /// The number of attachments.
    pub attachments: u8,
    body: &'static str,
}

/// All cases.
pub const CASES: &[Case] = &[
    Case {
        name: "facing",
        needs: Needs::Triangles,
        attachments: 1,
        body: "layout(location = 0) out vec4 o;
            void main() { o = gl_FrontFacing ? a : vec4(a.yx, gl_FragCoord.xy); }",
    },
    Case {
        name: "primitive number",
        needs: Needs::Triangles,
        attachments: 1,
        body: "layout(location = 0) out vec4 o;
            void main() { o = vec4(gl_PrimitiveID, a.x, gl_Layer, gl_ViewportIndex); }",
    },
    Case {
        name: "point coordinates",
        needs: Needs::Points,
        attachments: 1,
        body: "layout(location = 0) out vec4 o;
            void main() { o = vec4(gl_PointCoord, a.xw); if (length(gl_PointCoord - 0.5) > 0.4) discard; }",
    },
    Case {
        name: "lines",
        needs: Needs::Lines,
        attachments: 1,
        body: "layout(location = 0) out vec4 o;
            void main() { o = vec4(a.xyz, gl_FrontFacing); }",
    },
    Case {
        name: "dual source",
        needs: Needs::DualSource,
        attachments: 1,
        body: "layout(location = 0, index = 0) out vec4 o;
            layout(location = 0, index = 1) out vec4 p;
            void main() { o = a; p = a.wzyx * 0.125; if (a.x > 12.0) discard; }",
    },
    Case {
        name: "eight attachments",
        needs: Needs::Triangles,
        attachments: 8,
        body: "layout(location = 0) out vec4 o[8];
            void main() {
                for (int i = 0; i < 8; i++) o[i] = a * float(i + 1);
                if (a.y > 9.0) discard;
            }",
    },
    Case {
        name: "attachment 3 alone",
        needs: Needs::Triangles,
        attachments: 4,
        body: "layout(location = 3) out vec4 o;
            void main() { o = a.wzyx; }",
    },
    Case {
        name: "no output",
        needs: Needs::Triangles,
        attachments: 1,
        body: "void main() { if (a.x > 3.0) discard; }",
    },
    Case {
        // Vulkan defines the coverage of alpha 0 and 1 only. The second attachment has the opposite alpha.
        name: "alpha to coverage",
        needs: Needs::Alpha,
        attachments: 2,
        body: "layout(location = 0) out vec4 o;
            layout(location = 1) out vec4 p;
            void main() {
                float alpha = float((int(gl_FragCoord.x) + int(gl_FragCoord.y)) & 1);
                o = vec4(a.xyz, alpha);
                p = vec4(a.zyx, 1.0 - alpha);
            }",
    },
    Case {
        name: "stencil reference",
        needs: Needs::Stencil,
        attachments: 1,
        body: "#extension GL_ARB_shader_stencil_export : require
            layout(location = 0) out vec4 o;
            void main() { o = a; gl_FragStencilRefARB = int(gl_FragCoord.x) * 3; }",
    },
];

impl Case {
    /// The shader in GLSL.
    pub fn source(&self) -> String {
        // An extension comes before declarations.
        let (first, rest) = match self.body.split_once('\n') {
            Some((first, rest)) if first.starts_with("#extension") => (first, rest),
            _ => ("", self.body),
        };
        format!("#version 450\n{first}\nlayout(location = 0) in vec4 a;\n{rest}\n")
    }
}
