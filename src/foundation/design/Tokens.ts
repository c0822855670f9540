/** Colours by day. Text and background contrast by at least 4.5 (WCAG 2.2, 1.4.3). */
const light = {
  bad: "#b3261e",
  card: "#f6f7f9",
  focus: "#0b57d0",
  good: "#137333",
  ink: "#1f2328",
  line: "#d5d8dc",
  link: "#0b57d0",
  paper: "#fff",
  quiet: "#5f6368",
  warn: "#8a4b00"
}

/** Colours by night, with the same contrast. */
const dark: typeof light = {
  bad: "#f5a19a",
  card: "#212427",
  focus: "#a8c7fa",
  good: "#81c995",
  ink: "#e6e8ea",
  line: "#3c4043",
  link: "#a8c7fa",
  paper: "#17191c",
  quiet: "#a6adb5",
  warn: "#fdc069"
}

const declared = (palette: typeof light) =>
  Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(";")

/** Declarations of the colours in each scheme, for pages that choose the scheme by themselves. */
export const schemes = { dark: declared(dark), light: declared(light) }

/** Faces and measures of all pages. */
const shape = "--sans:system-ui,sans-serif;--mono:ui-monospace,monospace;--round:.4rem"

/** The look that all pages of the product share, as custom properties: the colours follow the reader's scheme. */
export const tokens = `:root{color-scheme:light dark;${shape};${schemes.light}}
@media screen and (prefers-color-scheme:dark){:root{${schemes.dark}}}
`
