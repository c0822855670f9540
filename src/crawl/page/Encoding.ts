import { finish, type Steps } from "../../foundation/schema/Steps.ts"
import { decode, encodingOf } from "./Labels.ts"
import { lateMeta } from "./LateMeta.ts"
import { prescan } from "./Prescan.ts"

/** Which encoding was chosen and by what: BOM → HTTP charset → 1,024-byte prescan → later meta → windows-1252. */
export interface EncodingDecision {
  /** Lower-cased name of the Encoding standard, such as `utf-8` or `shift_jis`. */
  readonly name: string
  readonly source: "bom" | "header" | "prescan" | "meta" | "fallback"
}

const marks: ReadonlyArray<readonly [ReadonlyArray<number>, string]> = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xfe, 0xff], "utf-16be"],
  [[0xff, 0xfe], "utf-16le"]
]

const ofMark = (bytes: Uint8Array): string | null =>
  marks.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1] ?? null

/** Decides the encoding of an HTML document (HTML standard §13.2.3); `httpCharset` is the Content-Type parameter. */
export function* deciding(bytes: Uint8Array, httpCharset: string | null): Steps<EncodingDecision> {
  const mark = ofMark(bytes)
  if (mark !== null) return { name: mark, source: "bom" }
  const header = httpCharset === null ? null : encodingOf(httpCharset)
  if (header !== null) return { name: header, source: "header" }
  const scanned = prescan(bytes)
  const tentative = scanned ?? "windows-1252"
  // The prescan is a guess over bytes: what the parser meets as a meta element corrects it.
  const met = tentative.startsWith("utf-16") ? null : yield* lateMeta(decode(bytes, tentative))
  if (met !== null && met !== scanned) return { name: met, source: "meta" }
  return scanned === null ? { name: tentative, source: "fallback" } : { name: scanned, source: "prescan" }
}

/** The same at once. */
export const decide = (bytes: Uint8Array, httpCharset: string | null): EncodingDecision =>
  finish(deciding(bytes, httpCharset))
