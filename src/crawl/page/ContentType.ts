import { computedMIMEType, MIMEType } from "whatwg-mimetype"
import type { HeaderLines } from "./HeaderFacts.ts"

/** What kind of document the bytes are. */
interface ContentType {
  /** Type and subtype, lower-cased; null when there is no usable header and nothing was recognised. */
  readonly essence: string | null
  /** The charset parameter as sent, null when absent. */
  readonly charset: string | null
  /** Whether it is to be read as a page: `text/html` or `application/xhtml+xml`. */
  readonly isHtml: boolean
  /** True when the header was absent or unreadable and the bytes were looked at. */
  readonly sniffed: boolean
}

const isPage = (essence: string) => essence === "text/html" || essence === "application/xhtml+xml"

/** The last readable Content-Type wins (Fetch standard, extract a MIME type); bytes are sniffed only when there is none. */
export const contentType = (headers: HeaderLines, body: Uint8Array): ContentType => {
  const types = headers
    .filter(([name]) => name.toLowerCase() === "content-type")
    .map(([, value]) => MIMEType.parse(value))
    .filter((type) => type !== null && type.essence !== "*/*")
  const type = types.at(-1) ?? null
  if (type !== null) {
    const { essence, parameters } = type
    return { essence, charset: parameters.get("charset") ?? null, isHtml: isPage(essence), sniffed: false }
  }
  if (body.length === 0) return { essence: null, charset: null, isHtml: false, sniffed: true }
  const { essence } = computedMIMEType(body)
  return { essence, charset: null, isHtml: isPage(essence), sniffed: true }
}
