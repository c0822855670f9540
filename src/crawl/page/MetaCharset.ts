import { declared, encodingOf } from "./Labels.ts"

/** The charset named in a `content` value (HTML standard, extracting a character encoding from a meta element), or null. */
export const charsetOfContent = (content: string): string | null => {
  const found = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"'][^\t\n\f\r ;]*))/i.exec(content)
  return found === null ? null : (found[1] ?? found[2] ?? found[3] ?? null)
}

/** What a `meta` element declares; `undefined` attributes are absent. Null when it declares no known encoding. */
export const declaredBy = (attributes: {
  readonly charset: string | undefined
  readonly httpEquiv: string | undefined
  readonly content: string | undefined
}): string | null => {
  const { charset, content, httpEquiv } = attributes
  const direct = charset === undefined ? null : declared(encodingOf(charset))
  if (direct !== null || httpEquiv?.toLowerCase() !== "content-type" || content === undefined) return direct
  const label = charsetOfContent(content)
  return label === null ? null : declared(encodingOf(label))
}
