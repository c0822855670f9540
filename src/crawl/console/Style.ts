import { html } from "./Markup.ts"

/** The look of the HTML report. */
export const style = html`
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #8884; overflow-wrap: anywhere }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
.score b { font-size: 3rem }
.good b { color: #188038 }
.needs_improvement b { color: #b06000 }
.poor b { color: #c5221f }
small { opacity: .75 }
details { border-left: .25rem solid #8884; padding: .3rem .8rem; margin: .4rem 0 }
details.critical { border-color: #c5221f }
details.warning { border-color: #b06000 }
tr.failed td:first-child { color: #c5221f }
`
