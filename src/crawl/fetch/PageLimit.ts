import type { OutboundRequest } from "../../foundation/outbound/Outbound.ts"
import { contentType } from "../page/ContentType.ts"
import { type HeaderLines, headerOf } from "../page/HeaderFacts.ts"

/** Bytes that are read of an error that is no page, to tell it from a challenge. */
const errorBytes = 65_536

const nothing = new Uint8Array()

/**
 * Bytes that are read of an answer where a page is looked for. The body of anything else is left unread: a video costs the site its
 * head. Without a readable Content-Type the bytes decide, so they are read.
 */
export const pageLimit: NonNullable<OutboundRequest["bodyLimit"]> = ({ fields, status }) => {
  const { isHtml, sniffed } = contentType(fields, nothing)
  if (isHtml || sniffed) return Number.POSITIVE_INFINITY
  return status >= 400 ? errorBytes : 0
}

/** Bytes that are read of an answer whose head alone is wanted. */
export const headLimit: NonNullable<OutboundRequest["bodyLimit"]> = ({ status }) => (status >= 400 ? errorBytes : 0)

/** The length of a body by its head; null when that has none that counts (RFC 9112 §6.3), or counts encoded bytes. */
export const lengthOf = (headers: HeaderLines): number | null => {
  const coding = headerOf(headers, "content-encoding") ?? ""
  const length = headerOf(headers, "content-length") ?? ""
  if (headerOf(headers, "transfer-encoding") !== null) return null
  return /^(?:identity)?$/i.test(coding) && /^\d{1,15}$/.test(length) ? Number(length) : null
}
