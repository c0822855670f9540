/** The parts of a `Service-Signature` header that a verifier needs. */
interface SignatureHeader {
  /** Unix seconds, exactly as sent, because these characters are part of the signed text. */
  readonly timestamp: string
  /** Every `v1` candidate, each 64 lowercase hex digits; more than one during a rotation. */
  readonly signatures: ReadonlyArray<string>
}

/** Why a header is refused before computing anything. */
export type HeaderRefusal = "missing_header" | "malformed_header" | "no_v1"

const longest = 4096
const element = /^([a-z][a-z0-9]*)=([^,\s]*)$/
const unixSeconds = /^(?:0|[1-9][0-9]{0,14})$/
const lowercaseHex = /^[0-9a-f]{64}$/

/** Writes `t=<unix_seconds>,v1=<hex>[,v1=<hex>…]`. */
export const format = (timestamp: number, signatures: ReadonlyArray<string>): string =>
  [`t=${timestamp}`, ...signatures.map((signature) => `v1=${signature}`)].join(",")

/** Reads a `Service-Signature` header strictly; schemes other than `v1` are ignored so that new ones can be added. */
export const parse = (header: string | null | undefined): SignatureHeader | HeaderRefusal => {
  if (typeof header !== "string" || header === "") return "missing_header"
  if (header.length > longest) return "malformed_header"
  const elements = header.split(",").map((text) => element.exec(text))
  const valuesOf = (scheme: string) => elements.flatMap((match) => (match?.[1] === scheme ? [match[2] ?? ""] : []))
  const [timestamp, ...repeated] = valuesOf("t")
  const signatures = valuesOf("v1")
  if (elements.includes(null) || timestamp === undefined || repeated.length > 0 || !unixSeconds.test(timestamp)) {
    return "malformed_header"
  }
  if (signatures.length === 0) return "no_v1"
  return signatures.every((signature) => lowercaseHex.test(signature)) ? { timestamp, signatures } : "malformed_header"
}
