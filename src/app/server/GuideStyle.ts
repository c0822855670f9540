import { tokens } from "../../foundation/design/Tokens.ts"

const style = `
${tokens}* { box-sizing: border-box }
body { margin: 0; font: 16px/1.6 var(--sans); color: var(--ink); background: var(--paper) }
a { color: var(--link) }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px }
.skip { position: absolute; left: -999em } .skip:focus { left: 1rem; top: 1rem; background: var(--paper) }
nav { padding: 1rem 1.5rem; border-bottom: 1px solid var(--line) }
nav ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem }
nav a { text-decoration: none } nav a[aria-current] { color: var(--ink); font-weight: 600 }
nav strong { display: block; margin-bottom: .5rem }
main { min-width: 0; max-width: 62rem; padding: 1rem 1.5rem 4rem; overflow-wrap: break-word }
pre, .wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px }
pre { background: var(--card); padding: .75rem 1rem; font-size: .85rem; line-height: 1.5 }
code { font-family: var(--mono); font-size: .9em; background: var(--card); border-radius: 4px; padding: .1em .3em }
pre code { padding: 0; font-size: inherit }
table { border-collapse: collapse; width: 100%; font-size: .9rem; overflow-wrap: normal }
th, td { text-align: left; vertical-align: top; padding: .4rem .7rem; border-bottom: 1px solid var(--line) }
thead th:empty { padding: 0 }
h1, h2, h3 { line-height: 1.25 } h2 { margin-top: 2.5rem }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 15rem minmax(0, 1fr) }
  nav { border: 0; border-right: 1px solid var(--line); position: sticky; top: 0; height: 100vh; overflow-y: auto } nav ul { display: block }
}
`

interface Entry {
  readonly name: string
  readonly title: string
}

const entry =
  (current: string) =>
  ({ name, title }: Entry) =>
    `<li><a href="${name}"${name === current ? ' aria-current="page"' : ""}>${title}</a></li>`

/** A guide as a whole page, which loads nothing else. Links are relative, so it works below any prefix. */
export const page = (title: string, body: string, current: string, guides: ReadonlyArray<Entry>): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Findable</title>${icon}<style>${style}</style></head>
<body><a class="skip" href="#text">Skip to the text</a>
<nav aria-label="Documentation"><strong>Findable</strong>
<ul><li><a href="../../docs">API reference</a></li>${guides.map(entry(current)).join("")}</ul></nav>
<main id="text">${body}</main></body></html>
`

const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#3b82f6" stroke-width="2"><circle cx="7" cy="7" r="5"/><path d="m11 11 4 4"/></svg>'

/** The icon as a part of each page, so that browsers send no request for one. */
export const icon = `<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(drawing)}">`
