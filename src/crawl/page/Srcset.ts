/** Widths, densities and heights a descriptor may state. */
const valid = /^(?:\d+[wh]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?x)$/

/** The descriptors after a candidate's URL up to its comma; commas inside parentheses do not end it. */
const descriptorsAt = (text: string, from: number): { readonly descriptors: string; readonly end: number } => {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const char = text[at]
    if (char === "(") depth = 1
    else if (char === ")") depth = 0
    else if (char === "," && depth === 0) return { descriptors: text.slice(from, at), end: at + 1 }
  }
  return { descriptors: text.slice(from), end: text.length }
}

const isUsable = (descriptors: string): boolean =>
  descriptors.split(/[\t\n\f\r ]+/).every((word) => word === "" || valid.test(word))

const url = /[\t\n\f\r ,]*([^\t\n\f\r ]+)/y

/** The URLs of a `srcset`, as written (HTML standard, parse a srcset attribute); candidates with unknown descriptors are left out. */
export const srcset = (text: string, max: number): ReadonlyArray<string> => {
  const found: Array<string> = []
  let at = 0
  while (found.length < max) {
    url.lastIndex = at
    const match = url.exec(text)
    if (match === null) return found
    const written = match[1] ?? ""
    at += match[0].length
    const reference = written.replace(/,+$/, "")
    const after = reference === written ? descriptorsAt(text, at) : { descriptors: "", end: at }
    at = after.end
    if (reference !== "" && isUsable(after.descriptors)) found.push(reference)
  }
  return found
}
