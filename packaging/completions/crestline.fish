# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_crestline_global_optspecs
    string join \n color= h/help V/version
end

function __fish_crestline_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_crestline_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_crestline_using_subcommand
    set -l cmd (__fish_crestline_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c crestline -n "__fish_crestline_needs_command" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crestline -n "__fish_crestline_needs_command" -s V -l version -d 'Print version'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "compile" -d 'Compile a shader to machine code'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "link" -d 'Compile the stages of a pipeline together, and report what that saves'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "run" -d 'Compile a shader and run it on the emulator'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "exec" -d 'Run machine code on the emulator'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "draw" -d 'Draw primitives with a fragment shader on the emulator'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "amber" -d 'Run scripts with pipelines on the emulator'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "batch" -d 'Compile many shaders and write their statistics to a file'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "report" -d 'Compare the statistics of two batches'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "analyze" -d 'Report on shaders or machine code: times, registers, messages, source lines, advice'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "explore" -d 'Open a page of this machine that compiles a shader while it is edited'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "asm" -d 'Assemble text to machine code'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "disasm" -d 'Disassemble machine code'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "validate" -d 'Check machine code against the rules of the hardware'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "region" -d 'Draw the bytes that each channel of an operand accesses'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "fields" -d 'Print all bit fields of instructions'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "targets" -d 'List the targets with their capabilities'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "completions" -d 'Print a script that lets a shell complete commands and flags'
complete -c crestline -n "__fish_crestline_needs_command" -f -a "man" -d 'Write the manual pages'
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l target -d 'The chip to compile for, such as `skl`; `crestline targets` lists them' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l lang -d 'The language, if the file\'s extension does not determine it. SPIR-V is recognised by its first bytes' -r
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l entry -d 'The entry point. It may be omitted if the stage has only one. Default for HLSL: `main`' -r
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l stage -d 'The stage. It may be omitted if only one stage has an entry point of that name. Default for GLSL and HLSL: that of `#pragma shader_stage`, else of the file\'s extension, else compute' -r -f -a "vertex\t''
tess_control\t''
tess_eval\t''
geometry\t''
fragment\t''
compute\t''"
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l after -d 'The shader of the previous stage; an input that it does not write is an error' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l domain -d 'The domain of the tessellator, for tessellation control shaders. Default: quads' -r -f -a "triangles\t''
quads\t''
isolines\t''"
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l spacing -d 'The spacing of the tessellator, for tessellation control shaders. Before gen9, code for quads with equal spacing changes levels that the tessellator cannot handle. Without the flag, it does not' -r -f -a "equal\t''
fractional-odd\t''
fractional-even\t''"
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l simd -d 'Channels of a thread. `auto` selects the width with the lowest estimated cost. `4x2` means threads of two vertices, for vertex, tessellation and geometry shaders: their only width on gen7 and gen7.5, possible on Broadwell. Elsewhere their width is 8' -r -f -a "auto\t''
8\t''
16\t''
32\t''
4x2\t''"
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l subgroup-size -d 'Invocations of a subgroup: 8, 16 or 32. The SIMD width is then the same' -r
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l samples -d 'Samples of a pixel, for fragment shaders: 1, 2, 4, 8 or 16. Without it, the code is for any number. On gen7 and gen7.5, a shader whose results depend on the number of its sample is then for one sample only' -r
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l spec -d 'A specialization constant, or an `override` of WGSL by `@id` or name; may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l descriptors -d 'Number of elements of a descriptor array without a size in the shader. Default for `run`: the number of bound elements' -r
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l image-format -d 'Format of a storage image that the shader declares without a format, such as rgba8. Default for `run`: the format of the bound image' -r
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l print-after -d 'Print the intermediate representation after a pass, or after all of them' -r
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l skip-pass -d 'Leave out an optimisation pass (`opt_*` only; to find bugs); may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l fuel -d 'Limit the number of changes by `opt_*` passes, and print the last change and the number of changes (to find bugs by bisection)' -r
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l patch-vertices -d 'Vertices of an input patch, for tessellation shaders' -r
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l emit -d 'The output format. Default: that of the output\'s extension (.bin, .hex, .json, .zebin, .ssa), else assembly' -r -f -a "asm\t'Assembly text'
loc\t'Assembly text with the directives `.file` and `.loc`, from which Compiler Explorer takes source lines'
bin\t'Machine code in memory order'
hex\t'Hexadecimal text, one instruction per line'
zebin\t'An ELF file for Intel\'s compute runtime, with one kernel'
json\t'Code, metadata and statistics as JSON'
ssa\t'The mid-level representation after its last pass'
codegen\t'The back end\'s representation after its last pass'"
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l syntax -d 'The assembly syntax' -r -f -a "mesa\t'The syntax of Mesa\'s dumps'
iga\t'The syntax of Intel\'s assembler iga64'"
complete -c crestline -n "__fish_crestline_using_subcommand compile" -s o -l output -d 'The output file. Default: standard output' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l full-subgroups -d 'Use only SIMD widths at which all invocations of each subgroup of a compute shader exist'
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l alpha-to-coverage -d 'Code for alpha to coverage: a fragment shader of several attachments sends the alpha of attachment 0 with each colour'
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l robust-access -d 'Clamp indices of arrays, matrices and vectors into their bounds'
complete -c crestline -n "__fish_crestline_using_subcommand compile" -s v -l verbose -d 'Print each pass with its time'
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l list-passes -d 'List the passes in the order in which they first run, and stop'
complete -c crestline -n "__fish_crestline_using_subcommand compile" -l json -d 'Print errors and warnings as JSON, one object per line'
complete -c crestline -n "__fish_crestline_using_subcommand compile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crestline -n "__fish_crestline_using_subcommand link" -l target -d 'The chip to compile for, such as `skl`; `crestline targets` lists them' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand link" -s o -l output -d 'The folder for the programs, a file for each stage: `vertex.json` and so on. It is made if it does not exist' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand link" -l stage -d 'The stage of the first shader, the second one and so on, for modules with entry points of several stages' -r -f -a "vertex\t''
tess_control\t''
tess_eval\t''
geometry\t''
fragment\t''
compute\t''"
complete -c crestline -n "__fish_crestline_using_subcommand link" -l entry -d 'The entry point of the first shader, the second one and so on' -r
complete -c crestline -n "__fish_crestline_using_subcommand link" -l capture -d 'A location that transform feedback captures from the last stage before the rasterizer, or `primitive_id`; may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand link" -l patch-vertices -d 'Vertices of an input patch, for tessellation shaders' -r
complete -c crestline -n "__fish_crestline_using_subcommand link" -l samples -d 'Samples of a pixel, for fragment shaders: 1, 2, 4, 8 or 16' -r
complete -c crestline -n "__fish_crestline_using_subcommand link" -l descriptors -d 'Number of elements of a descriptor array without a size in the shaders' -r
complete -c crestline -n "__fish_crestline_using_subcommand link" -l image-format -d 'Format of a storage image that the shader declares without a format, such as rgba8. Default for `run`: the format of the bound image' -r
complete -c crestline -n "__fish_crestline_using_subcommand link" -l emit -d 'The output format' -r -f -a "asm\t'Assembly text'
bin\t'Machine code in memory order'
hex\t'Hexadecimal text, one instruction per line'
json\t'Code, metadata and statistics as JSON'"
complete -c crestline -n "__fish_crestline_using_subcommand link" -l syntax -d 'The assembly syntax' -r -f -a "mesa\t'The syntax of Mesa\'s dumps'
iga\t'The syntax of Intel\'s assembler iga64'"
complete -c crestline -n "__fish_crestline_using_subcommand link" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand link" -l no-fragment-shader -d 'No fragment shader follows, so nothing reads the locations of the last stage'
complete -c crestline -n "__fish_crestline_using_subcommand link" -l alpha-to-coverage -d 'Code for alpha to coverage'
complete -c crestline -n "__fish_crestline_using_subcommand link" -l json -d 'Print errors and warnings as JSON, one object per line'
complete -c crestline -n "__fish_crestline_using_subcommand link" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crestline -n "__fish_crestline_using_subcommand run" -l target -d 'The chip to compile for, such as `skl`; `crestline targets` lists them' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand run" -l lang -d 'The language, if the file\'s extension does not determine it. SPIR-V is recognised by its first bytes' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l entry -d 'The entry point. It may be omitted if the stage has only one. Default for HLSL: `main`' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l stage -d 'The stage. It may be omitted if only one stage has an entry point of that name. Default for GLSL and HLSL: that of `#pragma shader_stage`, else of the file\'s extension, else compute' -r -f -a "vertex\t''
tess_control\t''
tess_eval\t''
geometry\t''
fragment\t''
compute\t''"
complete -c crestline -n "__fish_crestline_using_subcommand run" -l after -d 'The shader of the previous stage; an input that it does not write is an error' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand run" -l domain -d 'The domain of the tessellator, for tessellation control shaders. Default: quads' -r -f -a "triangles\t''
quads\t''
isolines\t''"
complete -c crestline -n "__fish_crestline_using_subcommand run" -l spacing -d 'The spacing of the tessellator, for tessellation control shaders. Before gen9, code for quads with equal spacing changes levels that the tessellator cannot handle. Without the flag, it does not' -r -f -a "equal\t''
fractional-odd\t''
fractional-even\t''"
complete -c crestline -n "__fish_crestline_using_subcommand run" -l simd -d 'Channels of a thread. `auto` selects the width with the lowest estimated cost. `4x2` means threads of two vertices, for vertex, tessellation and geometry shaders: their only width on gen7 and gen7.5, possible on Broadwell. Elsewhere their width is 8' -r -f -a "auto\t''
8\t''
16\t''
32\t''
4x2\t''"
complete -c crestline -n "__fish_crestline_using_subcommand run" -l subgroup-size -d 'Invocations of a subgroup: 8, 16 or 32. The SIMD width is then the same' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l samples -d 'Samples of a pixel, for fragment shaders: 1, 2, 4, 8 or 16. Without it, the code is for any number. On gen7 and gen7.5, a shader whose results depend on the number of its sample is then for one sample only' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l spec -d 'A specialization constant, or an `override` of WGSL by `@id` or name; may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l descriptors -d 'Number of elements of a descriptor array without a size in the shader. Default for `run`: the number of bound elements' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l image-format -d 'Format of a storage image that the shader declares without a format, such as rgba8. Default for `run`: the format of the bound image' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l print-after -d 'Print the intermediate representation after a pass, or after all of them' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l skip-pass -d 'Leave out an optimisation pass (`opt_*` only; to find bugs); may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l fuel -d 'Limit the number of changes by `opt_*` passes, and print the last change and the number of changes (to find bugs by bisection)' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l dispatch -d 'Number of workgroups of a compute shader; omitted dimensions are 1' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l profile -d 'Write how often each instruction was executed, with its channels, and the bytes and cache lines of messages, as JSON' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand run" -l push -d 'Push constants' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand run" -l bind -d 'Initial contents of a buffer: a file or `zero:BYTES`' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l address -d 'Place the address of a buffer, of eight bytes, at a byte of another buffer or of the push constants' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l out -d 'Write a buffer or an image\'s texels after the run' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l png -d 'Write a buffer or image of rgba8 pixels as a picture after the run' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l print -d 'Print a buffer after the run; TYPE is u8 ... u64, i8 ... i64, f32, f64 or x32' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l image -d 'An image or texel buffer with its initial texels: a file or `zero:BYTES`' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l sampler -d 'A sampler, or the sampler of a combined image sampler; FILTER is nearest or linear, ADDRESS repeat, clamp, mirror, mirror_once or border' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l memory -d 'The memory model: `strong` makes writes visible immediately, `weak` late and out of order unless fences order them' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l view -d 'The number of the view that a shader of the graphics pipeline draws (multiview)' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l budget -d 'Maximal number of instructions that a thread may execute' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l vertices -d 'Vertices to draw with a vertex shader' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l instances -d 'Instances to draw' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l first-vertex -d 'The first vertex' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l first-instance -d 'The first instance' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l attr -d 'A vertex attribute; FORMAT as GLSL spells those of images (rgb and 64 bits too)' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l in-varyings -d 'Inputs from the previous stage, in the format of `--out-varyings`' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand run" -l patch-vertices -d 'Vertices of an input patch. Default: the number in the program' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l point -d 'A point of each patch to evaluate; may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l out-varyings -d 'Write the outputs as JSON' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand run" -l print-varying -d 'Print an output of each vertex: position, location.0, clip_distances.4, header, ...' -r
complete -c crestline -n "__fish_crestline_using_subcommand run" -l show -d 'Print the assembly or the statistics before the run' -r -f -a "asm\t'The machine code as assembly'
stats\t'Statistics of the compiler and of the run'"
complete -c crestline -n "__fish_crestline_using_subcommand run" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand run" -l full-subgroups -d 'Use only SIMD widths at which all invocations of each subgroup of a compute shader exist'
complete -c crestline -n "__fish_crestline_using_subcommand run" -l alpha-to-coverage -d 'Code for alpha to coverage: a fragment shader of several attachments sends the alpha of attachment 0 with each colour'
complete -c crestline -n "__fish_crestline_using_subcommand run" -l robust-access -d 'Clamp indices of arrays, matrices and vectors into their bounds'
complete -c crestline -n "__fish_crestline_using_subcommand run" -s v -l verbose -d 'Print each pass with its time'
complete -c crestline -n "__fish_crestline_using_subcommand run" -l list-passes -d 'List the passes in the order in which they first run, and stop'
complete -c crestline -n "__fish_crestline_using_subcommand run" -l trace -d 'Print each executed instruction with its channels and registers'
complete -c crestline -n "__fish_crestline_using_subcommand run" -l strict -d 'End with an error if the emulator reports anything, such as an access out of bounds'
complete -c crestline -n "__fish_crestline_using_subcommand run" -l json -d 'Print errors and warnings as JSON, one object per line'
complete -c crestline -n "__fish_crestline_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l kernel -d 'The kernel to use, if the container has several' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l meta -d 'The metadata as JSON, alone or in a program. It may be omitted if CODE is a program' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l target -d 'The chip that the code is for' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l dispatch -d 'Number of workgroups of a compute shader; omitted dimensions are 1' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l profile -d 'Write how often each instruction was executed, with its channels, and the bytes and cache lines of messages, as JSON' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l push -d 'Push constants' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l bind -d 'Initial contents of a buffer: a file or `zero:BYTES`' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l address -d 'Place the address of a buffer, of eight bytes, at a byte of another buffer or of the push constants' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l out -d 'Write a buffer or an image\'s texels after the run' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l png -d 'Write a buffer or image of rgba8 pixels as a picture after the run' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l print -d 'Print a buffer after the run; TYPE is u8 ... u64, i8 ... i64, f32, f64 or x32' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l image -d 'An image or texel buffer with its initial texels: a file or `zero:BYTES`' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l sampler -d 'A sampler, or the sampler of a combined image sampler; FILTER is nearest or linear, ADDRESS repeat, clamp, mirror, mirror_once or border' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l memory -d 'The memory model: `strong` makes writes visible immediately, `weak` late and out of order unless fences order them' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l view -d 'The number of the view that a shader of the graphics pipeline draws (multiview)' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l budget -d 'Maximal number of instructions that a thread may execute' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l vertices -d 'Vertices to draw with a vertex shader' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l instances -d 'Instances to draw' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l first-vertex -d 'The first vertex' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l first-instance -d 'The first instance' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l attr -d 'A vertex attribute; FORMAT as GLSL spells those of images (rgb and 64 bits too)' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l in-varyings -d 'Inputs from the previous stage, in the format of `--out-varyings`' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l patch-vertices -d 'Vertices of an input patch. Default: the number in the program' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l point -d 'A point of each patch to evaluate; may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l out-varyings -d 'Write the outputs as JSON' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l print-varying -d 'Print an output of each vertex: position, location.0, clip_distances.4, header, ...' -r
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l dwords -d 'The code is text in which each group of 8 hex digits is a little-endian dword'
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l trace -d 'Print each executed instruction with its channels and registers'
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l strict -d 'End with an error if the emulator reports anything, such as an access out of bounds'
complete -c crestline -n "__fish_crestline_using_subcommand exec" -l json -d 'Print errors and warnings as JSON, one object per line'
complete -c crestline -n "__fish_crestline_using_subcommand exec" -s h -l help -d 'Print help'
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l fragment -d 'The fragment shader' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l vertex -d 'The vertex shader' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l target -d 'The chip, such as `skl`; `crestline targets` lists them' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l simd -d 'Channels of the fragment shader\'s threads. `auto` uses the widest entry point that a primitive fills' -r -f -a "auto\t''
8\t''
16\t''
32\t''"
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l profile -d 'Write for each stage how often each instruction was executed, with its channels, and the bytes and cache lines of messages, as JSON. The program runs on one host thread' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l size -d 'Width and height of all attachments in pixels' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l samples -d 'Samples of a pixel of all attachments: 1 (default), 2, 4, 8 or 16. The fragment shader is compiled for this number' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l sample-mask -d 'The samples that can change, such as 0xf: bit 0 is sample 0. Default: all' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l attachment -d 'A colour attachment: its format as GLSL spells those of images, and its first contents (default: zeros)' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l out-attachment -d 'Write a colour attachment: as a picture if FILE ends in .png, else its texels. A pixel of the picture is the average of its samples; the texels of a pixel\'s samples follow one another' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l depth -d 'A depth attachment: d16, d24 or d32f, and its first depth (default: 1)' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l depth-test -d 'The depth test: less, less_or_equal, ...; `:read` leaves the attachment as it is' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l out-depth -d 'Write the depths as 32-bit floats' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l stencil -d 'A stencil attachment of 8 bits with this value everywhere' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l stencil-test -d 'The stencil test: OP, and the operations if it fails, if the depth test fails, and if both pass' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l stencil-test-back -d 'The test of back-facing primitives, if it is another one' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l out-stencil -d 'Write the stencil values' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l topology -d 'The primitives that the vertices form' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l viewport -d 'The viewport in pixels, and its depths. Default: all pixels, 0 and 1' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l scissor -d 'The pixels that can change. Default: all' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l cull -d 'The triangles that are not drawn: none, front, back or front_and_back' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l front-face -d 'The orientation of front faces: counter_clockwise or clockwise' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l depth-bias -d 'Depth bias of triangles: the factor of the smallest difference of depths, the factor of the slope, and the limit' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l clip-distances -d 'Number of clip distances that the vertices have, if the vertex shader\'s metadata do not say it' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l line-width -d 'Width of lines in pixels' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l blend -d 'Blending of an attachment: factors of source and attachment, operation; for alpha the same if not given' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l write-mask -d 'The components of an attachment that are written, such as `rgb`' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l blend-constants -d 'The constant colour of blending' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l logic-op -d 'A logical operation instead of blending, such as `xor`' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l vertices -d 'Vertices to draw with a vertex shader' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l instances -d 'Instances to draw' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l first-vertex -d 'The first vertex' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l first-instance -d 'The first instance' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l attr -d 'A vertex attribute; FORMAT as GLSL spells those of images (rgb and 64 bits too)' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l in-varyings -d 'Inputs from the previous stage, in the format of `--out-varyings`' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l push -d 'Push constants' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l bind -d 'Initial contents of a buffer: a file or `zero:BYTES`' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l address -d 'Place the address of a buffer, of eight bytes, at a byte of another buffer or of the push constants' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l out -d 'Write a buffer or an image\'s texels after the run' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l png -d 'Write a buffer or image of rgba8 pixels as a picture after the run' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l print -d 'Print a buffer after the run; TYPE is u8 ... u64, i8 ... i64, f32, f64 or x32' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l image -d 'An image or texel buffer with its initial texels: a file or `zero:BYTES`' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l sampler -d 'A sampler, or the sampler of a combined image sampler; FILTER is nearest or linear, ADDRESS repeat, clamp, mirror, mirror_once or border' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l memory -d 'The memory model: `strong` makes writes visible immediately, `weak` late and out of order unless fences order them' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l view -d 'The number of the view that a shader of the graphics pipeline draws (multiview)' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l budget -d 'Maximal number of instructions that a thread may execute' -r
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l alpha-to-coverage -d 'The alpha of attachment 0 chooses samples: sample i of n is written only if alpha is above i / n'
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l depth-clamp -d 'Limit depths instead of clipping at the near and far plane'
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l trace -d 'Print each executed instruction with its channels and registers'
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l strict -d 'End with an error if the emulator reports anything, such as an access out of bounds'
complete -c crestline -n "__fish_crestline_using_subcommand draw" -l json -d 'Print errors and warnings as JSON, one object per line'
complete -c crestline -n "__fish_crestline_using_subcommand draw" -s h -l help -d 'Print help'
complete -c crestline -n "__fish_crestline_using_subcommand amber" -l target -d 'The chip, such as `skl`; `crestline targets` lists them' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand amber" -l png -d 'Write an attachment or image as a picture' -r
complete -c crestline -n "__fish_crestline_using_subcommand amber" -l show -d 'Print the counts of each run' -r -f -a "stats\t'The counts of each run'"
complete -c crestline -n "__fish_crestline_using_subcommand amber" -l budget -d 'The most instructions of a thread' -r
complete -c crestline -n "__fish_crestline_using_subcommand amber" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand amber" -l json -d 'Print errors and results as JSON, one object per line'
complete -c crestline -n "__fish_crestline_using_subcommand amber" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crestline -n "__fish_crestline_using_subcommand batch" -s o -l output -d 'The result file: .jsonl (a JSON object per line), .csv or .parquet' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand batch" -l target -d 'The chips to compile for, such as skl,bdw' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand batch" -l simd -d 'The SIMD widths to compile for' -r -f -a "auto\t''
8\t''
16\t''
32\t''
4x2\t''"
complete -c crestline -n "__fish_crestline_using_subcommand batch" -l spec -d 'A specialization constant, for the modules that have it; may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand batch" -l cache -d 'Take compiled programs from a cache and store them there: a folder, or s3://BUCKET/PATH, gs://BUCKET/PATH or az://CONTAINER/PATH with keys and region from the variables AWS_*, GOOGLE_* or AZURE_*' -r
complete -c crestline -n "__fish_crestline_using_subcommand batch" -l programs -d 'Write each program too: FOLDER/MODULE/ENTRY.STAGE.TARGET.WIDTH.json' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand batch" -l jobs -d 'Number of processes that compile at the same time. Default: the number of cores' -r
complete -c crestline -n "__fish_crestline_using_subcommand batch" -l shard -d 'Compile one of N disjoint parts of the modules: K/N with K from 1, or `auto` for what the job scheduler says (CRESTLINE_SHARD, or the variables of Slurm and of Kubernetes\' indexed jobs)' -r
complete -c crestline -n "__fish_crestline_using_subcommand batch" -l time -d 'Give a module up after this time, for all targets and widths together' -r
complete -c crestline -n "__fish_crestline_using_subcommand batch" -l memory -d 'Give a module up if it needs more memory' -r
complete -c crestline -n "__fish_crestline_using_subcommand batch" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand batch" -l merge -d 'Compile nothing: the inputs are result files (.jsonl), whose rows are written to one file'
complete -c crestline -n "__fish_crestline_using_subcommand batch" -s q -l quiet -d 'Print no progress'
complete -c crestline -n "__fish_crestline_using_subcommand batch" -l json -d 'Print errors and warnings as JSON, one object per line'
complete -c crestline -n "__fish_crestline_using_subcommand batch" -s h -l help -d 'Print help'
complete -c crestline -n "__fish_crestline_using_subcommand report" -l format -d 'The form of the report' -r -f -a "text\t'Aligned columns'
markdown\t'Tables and lists of Markdown'
json\t'One JSON document'"
complete -c crestline -n "__fish_crestline_using_subcommand report" -s o -l output -d 'The output file. Default: standard output' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand report" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand report" -l json -d 'Print errors and warnings as JSON, one object per line'
complete -c crestline -n "__fish_crestline_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l target -d 'The chip, such as `skl`; `crestline targets` lists them. May be repeated' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l lang -d 'The language of the shaders, if the extensions do not determine it' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l entry -d 'The entry point of the shaders' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l stage -d 'The stage of the shaders' -r -f -a "vertex\t''
tess_control\t''
tess_eval\t''
geometry\t''
fragment\t''
compute\t''"
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l simd -d 'Channels of a thread, as for `compile`; may be repeated. Default: auto' -r -f -a "auto\t''
8\t''
16\t''
32\t''
4x2\t''"
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l spec -d 'A specialization constant, as for `compile`; may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l descriptors -d 'Number of elements of a descriptor array without a size in the shader' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l image-format -d 'Format of a storage image that the shader declares without a format' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l kernel -d 'Only this kernel of a container that has several' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l meta -d 'The metadata of machine code, as JSON, alone or in a program' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l format -d 'The form of the report' -r -f -a "text\t'Aligned text'
json\t'A document with everything, as `docs/analysis.schema.json` describes it'
csv\t'A row for each program and SIMD width'
html\t'A page for a browser, in one file'"
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -s o -l output -d 'The output file. Default: standard output' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l rows -d 'The most source lines, blocks and values in each table of the text' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l compare -d 'Show the differences to an older report (JSON), to another file, or to the same file for another target' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l fail-if -d 'End with status 3 if a condition such as `spills>0` or `cycles>2000` holds; may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l without-hint -d 'A rule for hints to leave out, such as H7; may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l dispatch -d 'Number of workgroups of a compute shader; omitted dimensions are 1' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l profile -d 'Write how often each instruction was executed, with its channels, and the bytes and cache lines of messages, as JSON' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l push -d 'Push constants' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l bind -d 'Initial contents of a buffer: a file or `zero:BYTES`' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l address -d 'Place the address of a buffer, of eight bytes, at a byte of another buffer or of the push constants' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l out -d 'Write a buffer or an image\'s texels after the run' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l png -d 'Write a buffer or image of rgba8 pixels as a picture after the run' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l print -d 'Print a buffer after the run; TYPE is u8 ... u64, i8 ... i64, f32, f64 or x32' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l image -d 'An image or texel buffer with its initial texels: a file or `zero:BYTES`' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l sampler -d 'A sampler, or the sampler of a combined image sampler; FILTER is nearest or linear, ADDRESS repeat, clamp, mirror, mirror_once or border' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l memory -d 'The memory model: `strong` makes writes visible immediately, `weak` late and out of order unless fences order them' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l view -d 'The number of the view that a shader of the graphics pipeline draws (multiview)' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l budget -d 'Maximal number of instructions that a thread may execute' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l vertices -d 'Vertices to draw with a vertex shader' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l instances -d 'Instances to draw' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l first-vertex -d 'The first vertex' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l first-instance -d 'The first instance' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l attr -d 'A vertex attribute; FORMAT as GLSL spells those of images (rgb and 64 bits too)' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l in-varyings -d 'Inputs from the previous stage, in the format of `--out-varyings`' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l patch-vertices -d 'Vertices of an input patch. Default: the number in the program' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l point -d 'A point of each patch to evaluate; may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l out-varyings -d 'Write the outputs as JSON' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l print-varying -d 'Print an output of each vertex: position, location.0, clip_distances.4, header, ...' -r
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l dwords -d 'Machine code is text in which each group of 8 hex digits is a little-endian dword'
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l instructions -d 'Show each instruction in the text, with its issue and its wait'
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l measure -d 'Run the program on the emulator, and use its counts instead of assumed trips of loops'
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l trace -d 'Print each executed instruction with its channels and registers'
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l strict -d 'End with an error if the emulator reports anything, such as an access out of bounds'
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -l json -d 'Print errors and warnings as JSON, one object per line'
complete -c crestline -n "__fish_crestline_using_subcommand analyze" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crestline -n "__fish_crestline_using_subcommand explore" -l target -d 'The chip, such as `skl`' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand explore" -l port -d 'The port of the loopback interface. Default: any free port' -r
complete -c crestline -n "__fish_crestline_using_subcommand explore" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand explore" -s h -l help -d 'Print help'
complete -c crestline -n "__fish_crestline_using_subcommand asm" -l target -d 'The chip to assemble for' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand asm" -l syntax -d 'The assembly syntax' -r -f -a "mesa\t'The syntax of Mesa\'s dumps'
iga\t'The syntax of Intel\'s assembler iga64'"
complete -c crestline -n "__fish_crestline_using_subcommand asm" -l emit -d 'The output format. Default: that of the output\'s extension (.hex, .zebin), else bytes' -r -f -a "bin\t'Machine code in memory order'
hex\t'Hexadecimal text, one instruction per line'
zebin\t'An ELF file with one kernel'"
complete -c crestline -n "__fish_crestline_using_subcommand asm" -l kernel -d 'The kernel\'s name in a zebin. Default: the name of the input' -r
complete -c crestline -n "__fish_crestline_using_subcommand asm" -s o -l output -d 'The output file. Default: standard output, as hexadecimal text' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand asm" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand asm" -l compact -d 'Use the compacted form of every instruction that has one'
complete -c crestline -n "__fish_crestline_using_subcommand asm" -l json -d 'Print code or errors as JSON'
complete -c crestline -n "__fish_crestline_using_subcommand asm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l target -d 'The chip that the code is for' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l kernel -d 'Only this kernel of a container that has several' -r
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l start -d 'Where the instructions start, in bytes from the start of the code (`0x` too)' -r
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l length -d 'Number of bytes from there (`0x` too). Default: all' -r
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l syntax -d 'The assembly syntax' -r -f -a "mesa\t'The syntax of Mesa\'s dumps'
iga\t'The syntax of Intel\'s assembler iga64'"
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l dwords -d 'The code is text in which each group of 8 hex digits is a little-endian dword'
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l json -d 'Print the result as JSON, and errors as JSON, one object per line'
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l error-state -d 'The file is an error state of the i915 driver (`/sys/class/drm/card0/error`): print its batches, mark where the GPU hung, and print the code of the kernels'
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l strict -d 'Stop at the first instruction that does not decode, and print nothing'
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l offsets -d 'Put its byte offset in front of each instruction, as a comment'
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l bytes -d 'Put its bytes in front of each instruction, in memory order, as a comment'
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -l raw-bits -d 'Put a line `.bits` in front of each instruction whose text alone assembles to other bits (unused ones), so that `asm` gives back the same code'
complete -c crestline -n "__fish_crestline_using_subcommand disasm" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c crestline -n "__fish_crestline_using_subcommand validate" -l target -d 'The chip that the code is for' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand validate" -l kernel -d 'Only this kernel of a container that has several' -r
complete -c crestline -n "__fish_crestline_using_subcommand validate" -l start -d 'Where the instructions start, in bytes from the start of the code (`0x` too)' -r
complete -c crestline -n "__fish_crestline_using_subcommand validate" -l length -d 'Number of bytes from there (`0x` too). Default: all' -r
complete -c crestline -n "__fish_crestline_using_subcommand validate" -l disable -d 'A rule not to check, such as D7; may be repeated' -r
complete -c crestline -n "__fish_crestline_using_subcommand validate" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand validate" -l dwords -d 'The code is text in which each group of 8 hex digits is a little-endian dword'
complete -c crestline -n "__fish_crestline_using_subcommand validate" -l json -d 'Print the result as JSON, and errors as JSON, one object per line'
complete -c crestline -n "__fish_crestline_using_subcommand validate" -l strict -d 'Stop at the first instruction that does not decode, and print nothing'
complete -c crestline -n "__fish_crestline_using_subcommand validate" -s h -l help -d 'Print help'
complete -c crestline -n "__fish_crestline_using_subcommand region" -l exec -d 'Execution size: 1, 2, 4, 8, 16 or 32 channels' -r
complete -c crestline -n "__fish_crestline_using_subcommand region" -l svg -d 'Also draw it as a picture' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand region" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand region" -l json -d 'Print the bytes of each channel as JSON'
complete -c crestline -n "__fish_crestline_using_subcommand region" -s h -l help -d 'Print help'
complete -c crestline -n "__fish_crestline_using_subcommand fields" -l target -d 'The chip that the code is for' -r -f -a "i965\t''
g4x\t''
ilk\t''
snb\t''
ivb\t''
byt\t''
hsw\t''
bdw\t''
chv\t''
skl\t''
bxt\t''
kbl\t''
glk\t''
cfl\t''
icl\t''
ehl\t''
tgl\t''
rkl\t''
dg1\t''
adl\t''
dg2\t''
gen4\t''
gen4.5\t''
gen5\t''
gen6\t''
gen7\t''
gen7.5\t''
gen8\t''
gen9\t''
gen11\t''
gen12\t''
gen12.5\t''"
complete -c crestline -n "__fish_crestline_using_subcommand fields" -l kernel -d 'Only this kernel of a container that has several' -r
complete -c crestline -n "__fish_crestline_using_subcommand fields" -l at -d 'Only the instruction at this byte of the code (`0x` too)' -r
complete -c crestline -n "__fish_crestline_using_subcommand fields" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand fields" -l dwords -d 'The code is text in which each group of 8 hex digits is a little-endian dword'
complete -c crestline -n "__fish_crestline_using_subcommand fields" -l json -d 'Print the result as JSON, and errors as JSON, one object per line'
complete -c crestline -n "__fish_crestline_using_subcommand fields" -s h -l help -d 'Print help'
complete -c crestline -n "__fish_crestline_using_subcommand targets" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand targets" -s h -l help -d 'Print help'
complete -c crestline -n "__fish_crestline_using_subcommand completions" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand completions" -s h -l help -d 'Print help'
complete -c crestline -n "__fish_crestline_using_subcommand man" -s o -l output -d 'The folder for the pages: `crestline.1`, and `crestline-COMMAND.1` for each command. It is made if it does not exist' -r -F
complete -c crestline -n "__fish_crestline_using_subcommand man" -l color -d 'Colour errors: `auto` means if standard error is a terminal and the variable NO_COLOR is not set' -r -f -a "auto\t''
always\t''
never\t''"
complete -c crestline -n "__fish_crestline_using_subcommand man" -s h -l help -d 'Print help'
