_crestline() {
    local i cur prev opts cmd
    COMPREPLY=()
    if [[ "${BASH_VERSINFO[0]}" -ge 4 ]]; then
        cur="$2"
    else
        cur="${COMP_WORDS[COMP_CWORD]}"
    fi
    prev="$3"
    cmd=""
    opts=""

    for i in "${COMP_WORDS[@]:0:COMP_CWORD}"
    do
        case "${cmd},${i}" in
            ",$1")
                cmd="crestline"
                ;;
            crestline,amber)
                cmd="crestline__subcmd__amber"
                ;;
            crestline,analyze)
                cmd="crestline__subcmd__analyze"
                ;;
            crestline,asm)
                cmd="crestline__subcmd__asm"
                ;;
            crestline,batch)
                cmd="crestline__subcmd__batch"
                ;;
            crestline,compile)
                cmd="crestline__subcmd__compile"
                ;;
            crestline,completions)
                cmd="crestline__subcmd__completions"
                ;;
            crestline,disasm)
                cmd="crestline__subcmd__disasm"
                ;;
            crestline,draw)
                cmd="crestline__subcmd__draw"
                ;;
            crestline,exec)
                cmd="crestline__subcmd__exec"
                ;;
            crestline,explore)
                cmd="crestline__subcmd__explore"
                ;;
            crestline,fields)
                cmd="crestline__subcmd__fields"
                ;;
            crestline,link)
                cmd="crestline__subcmd__link"
                ;;
            crestline,man)
                cmd="crestline__subcmd__man"
                ;;
            crestline,region)
                cmd="crestline__subcmd__region"
                ;;
            crestline,report)
                cmd="crestline__subcmd__report"
                ;;
            crestline,run)
                cmd="crestline__subcmd__run"
                ;;
            crestline,targets)
                cmd="crestline__subcmd__targets"
                ;;
            crestline,validate)
                cmd="crestline__subcmd__validate"
                ;;
            *)
                ;;
        esac
    done

    case "${cmd}" in
        crestline)
            opts="-h -V --color --help --version compile link run exec draw amber batch report analyze explore asm disasm validate region fields targets completions man"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 1 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__amber)
            opts="-h --target --png --show --budget --json --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --png)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show)
                    COMPREPLY=($(compgen -W "stats" -- "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__analyze)
            opts="-o -h --target --lang --entry --stage --simd --spec --descriptors --image-format --kernel --dwords --meta --format --output --instructions --rows --measure --compare --fail-if --without-hint --dispatch --profile --push --bind --address --out --png --print --image --sampler --memory --view --trace --strict --budget --vertices --instances --first-vertex --first-instance --attr --in-varyings --patch-vertices --point --out-varyings --print-varying --json --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --lang)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --entry)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stage)
                    COMPREPLY=($(compgen -W "vertex tess_control tess_eval geometry fragment compute" -- "${cur}"))
                    return 0
                    ;;
                --simd)
                    COMPREPLY=($(compgen -W "auto 8 16 32 4x2" -- "${cur}"))
                    return 0
                    ;;
                --spec)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --descriptors)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --image-format)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --kernel)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --meta)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --format)
                    COMPREPLY=($(compgen -W "text json csv html" -- "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --rows)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --compare)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fail-if)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --without-hint)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dispatch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --profile)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --push)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --bind)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --address)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --png)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --print)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --image)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --sampler)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --view)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --vertices)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --instances)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --first-vertex)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --first-instance)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --attr)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --in-varyings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --patch-vertices)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --point)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out-varyings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --print-varying)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__asm)
            opts="-o -h --target --syntax --compact --emit --kernel --output --json --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --syntax)
                    COMPREPLY=($(compgen -W "mesa iga" -- "${cur}"))
                    return 0
                    ;;
                --emit)
                    COMPREPLY=($(compgen -W "bin hex zebin" -- "${cur}"))
                    return 0
                    ;;
                --kernel)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__batch)
            opts="-o -q -h --output --target --simd --spec --cache --programs --jobs --shard --time --memory --merge --quiet --json --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --simd)
                    COMPREPLY=($(compgen -W "auto 8 16 32 4x2" -- "${cur}"))
                    return 0
                    ;;
                --spec)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cache)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --programs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --jobs)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --shard)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --time)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__compile)
            opts="-v -o -h --target --lang --entry --stage --after --domain --spacing --simd --subgroup-size --full-subgroups --samples --alpha-to-coverage --robust-access --spec --descriptors --image-format --verbose --print-after --skip-pass --list-passes --fuel --patch-vertices --emit --syntax --output --json --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --lang)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --entry)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stage)
                    COMPREPLY=($(compgen -W "vertex tess_control tess_eval geometry fragment compute" -- "${cur}"))
                    return 0
                    ;;
                --after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --domain)
                    COMPREPLY=($(compgen -W "triangles quads isolines" -- "${cur}"))
                    return 0
                    ;;
                --spacing)
                    COMPREPLY=($(compgen -W "equal fractional-odd fractional-even" -- "${cur}"))
                    return 0
                    ;;
                --simd)
                    COMPREPLY=($(compgen -W "auto 8 16 32 4x2" -- "${cur}"))
                    return 0
                    ;;
                --subgroup-size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --samples)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --spec)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --descriptors)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --image-format)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --print-after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --skip-pass)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fuel)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --patch-vertices)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --emit)
                    COMPREPLY=($(compgen -W "asm loc bin hex zebin json ssa codegen" -- "${cur}"))
                    return 0
                    ;;
                --syntax)
                    COMPREPLY=($(compgen -W "mesa iga" -- "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__completions)
            opts="-h --color --help bash elvish fish powershell zsh"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__disasm)
            opts="-h --target --kernel --dwords --json --error-state --start --length --strict --syntax --offsets --bytes --raw-bits --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --kernel)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --start)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --length)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --syntax)
                    COMPREPLY=($(compgen -W "mesa iga" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__draw)
            opts="-h --fragment --vertex --target --simd --profile --size --samples --sample-mask --alpha-to-coverage --attachment --out-attachment --depth --depth-test --out-depth --stencil --stencil-test --stencil-test-back --out-stencil --topology --viewport --scissor --cull --front-face --depth-clamp --depth-bias --clip-distances --line-width --blend --write-mask --blend-constants --logic-op --vertices --instances --first-vertex --first-instance --attr --in-varyings --push --bind --address --out --png --print --image --sampler --memory --view --trace --strict --budget --json --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --fragment)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --vertex)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --simd)
                    COMPREPLY=($(compgen -W "auto 8 16 32" -- "${cur}"))
                    return 0
                    ;;
                --profile)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --samples)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --sample-mask)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --attachment)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out-attachment)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --depth)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --depth-test)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out-depth)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stencil)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stencil-test)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stencil-test-back)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out-stencil)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --topology)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --viewport)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --scissor)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --cull)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --front-face)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --depth-bias)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --clip-distances)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --line-width)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --blend)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --write-mask)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --blend-constants)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --logic-op)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --vertices)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --instances)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --first-vertex)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --first-instance)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --attr)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --in-varyings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --push)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --bind)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --address)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --png)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --print)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --image)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --sampler)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --view)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__exec)
            opts="-h --kernel --dwords --meta --target --dispatch --profile --push --bind --address --out --png --print --image --sampler --memory --view --trace --strict --budget --vertices --instances --first-vertex --first-instance --attr --in-varyings --patch-vertices --point --out-varyings --print-varying --json --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --kernel)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --meta)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --dispatch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --profile)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --push)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --bind)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --address)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --png)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --print)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --image)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --sampler)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --view)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --vertices)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --instances)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --first-vertex)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --first-instance)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --attr)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --in-varyings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --patch-vertices)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --point)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out-varyings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --print-varying)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__explore)
            opts="-h --target --port --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --port)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__fields)
            opts="-h --target --kernel --dwords --json --at --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --kernel)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --at)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__link)
            opts="-o -h --target --output --stage --entry --capture --no-fragment-shader --patch-vertices --samples --alpha-to-coverage --descriptors --image-format --emit --syntax --json --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stage)
                    COMPREPLY=($(compgen -W "vertex tess_control tess_eval geometry fragment compute" -- "${cur}"))
                    return 0
                    ;;
                --entry)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --capture)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --patch-vertices)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --samples)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --descriptors)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --image-format)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --emit)
                    COMPREPLY=($(compgen -W "asm bin hex json" -- "${cur}"))
                    return 0
                    ;;
                --syntax)
                    COMPREPLY=($(compgen -W "mesa iga" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__man)
            opts="-o -h --output --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__region)
            opts="-h --exec --svg --json --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --exec)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --svg)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__report)
            opts="-o -h --format --output --json --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --format)
                    COMPREPLY=($(compgen -W "text markdown json" -- "${cur}"))
                    return 0
                    ;;
                --output)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                -o)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__run)
            opts="-v -h --target --lang --entry --stage --after --domain --spacing --simd --subgroup-size --full-subgroups --samples --alpha-to-coverage --robust-access --spec --descriptors --image-format --verbose --print-after --skip-pass --list-passes --fuel --dispatch --profile --push --bind --address --out --png --print --image --sampler --memory --view --trace --strict --budget --vertices --instances --first-vertex --first-instance --attr --in-varyings --patch-vertices --point --out-varyings --print-varying --show --json --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --lang)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --entry)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --stage)
                    COMPREPLY=($(compgen -W "vertex tess_control tess_eval geometry fragment compute" -- "${cur}"))
                    return 0
                    ;;
                --after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --domain)
                    COMPREPLY=($(compgen -W "triangles quads isolines" -- "${cur}"))
                    return 0
                    ;;
                --spacing)
                    COMPREPLY=($(compgen -W "equal fractional-odd fractional-even" -- "${cur}"))
                    return 0
                    ;;
                --simd)
                    COMPREPLY=($(compgen -W "auto 8 16 32 4x2" -- "${cur}"))
                    return 0
                    ;;
                --subgroup-size)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --samples)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --spec)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --descriptors)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --image-format)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --print-after)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --skip-pass)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --fuel)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --dispatch)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --profile)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --push)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --bind)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --address)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --png)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --print)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --image)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --sampler)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --memory)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --view)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --budget)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --vertices)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --instances)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --first-vertex)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --first-instance)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --attr)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --in-varyings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --patch-vertices)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --point)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --out-varyings)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --print-varying)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --show)
                    COMPREPLY=($(compgen -W "asm stats" -- "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__targets)
            opts="-h --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
        crestline__subcmd__validate)
            opts="-h --target --kernel --dwords --json --start --length --strict --disable --color --help"
            if [[ ${cur} == -* || ${COMP_CWORD} -eq 2 ]] ; then
                COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
                return 0
            fi
            case "${prev}" in
                --target)
                    COMPREPLY=($(compgen -W "i965 g4x ilk snb ivb byt hsw bdw chv skl bxt kbl glk cfl icl ehl tgl rkl dg1 adl dg2 gen4 gen4.5 gen5 gen6 gen7 gen7.5 gen8 gen9 gen11 gen12 gen12.5" -- "${cur}"))
                    return 0
                    ;;
                --kernel)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --start)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --length)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --disable)
                    COMPREPLY=($(compgen -f "${cur}"))
                    return 0
                    ;;
                --color)
                    COMPREPLY=($(compgen -W "auto always never" -- "${cur}"))
                    return 0
                    ;;
                *)
                    COMPREPLY=()
                    ;;
            esac
            COMPREPLY=( $(compgen -W "${opts}" -- "${cur}") )
            return 0
            ;;
    esac
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _crestline -o nosort -o bashdefault -o default crestline
else
    complete -F _crestline -o bashdefault -o default crestline
fi
