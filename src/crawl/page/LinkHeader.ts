/** One link of a `Link` header: its target as written and its first parameter of each name, names lower-cased. */
export interface HeaderLink {
  readonly target: string
  readonly parameters: ReadonlyMap<string, string>
}

const maxLinks = 200

const target = /[\t ,]*<([^>]*)>[\t ]*/y
const parameter = /;[\t ]*([^\t =;,"<>]*)[\t ]*(?:=[\t ]*(?:"((?:[^"\\]|\\.)*)"?|([^\t ;,]*)))?[\t ]*/y

/** Reads one `Link` header line (RFC 8288 §3, appendix B.2); what does not parse ends the reading. */
export const linkHeader = (line: string): ReadonlyArray<HeaderLink> => {
  const found: Array<HeaderLink> = []
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(line)
    at += match?.[0].length ?? 0
    return match
  }
  for (let link = take(target); link !== null && found.length < maxLinks; link = take(target)) {
    const parameters = new Map<string, string>()
    for (let next = take(parameter); next !== null; next = take(parameter)) {
      const name = (next[1] ?? "").toLowerCase()
      const value = next[2]?.replace(/\\(.)/g, "$1") ?? next[3] ?? ""
      if (name !== "" && !parameters.has(name)) parameters.set(name, value)
    }
    found.push({ target: link[1] ?? "", parameters })
  }
  return found
}
