/** RFC 9309 §2.5 asks for at least 500 KiB; what lies beyond is not read. */
export const maxBytes = 500 * 1024

/** A line longer than this many bytes is cut: eight times the longest URL that browsers took (2,083). */
const maxLineBytes = 2083 * 8 - 1

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = [0xef, 0xbb, 0xbf]

/** How many leading bytes belong to a UTF-8 byte order mark, which may be cut short. */
const markLength = (bytes: Uint8Array): number => {
  const first = byteOrderMark.findIndex((byte, index) => bytes[index] !== byte)
  return first === -1 ? byteOrderMark.length : first
}

/** UTF-16 files are not what RFC 9309 asks for, but their byte order mark leaves no doubt about what they say. */
const asUtf8 = (bytes: Uint8Array): Uint8Array => {
  const label =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null
  return label === null ? bytes : new TextEncoder().encode(new TextDecoder(label).decode(bytes))
}

/** The lines of the file in order; LF, CR and CR LF each end one, a first mark, whole or cut short, is skipped. */
export const lines = (file: Uint8Array): ReadonlyArray<Uint8Array> => {
  const bytes = asUtf8(file.subarray(0, maxBytes))
  const found: Array<Uint8Array> = []
  let start = markLength(bytes)
  for (let at = start; at <= bytes.length; at++) {
    const byte = bytes[at]
    if (byte !== undefined && byte !== lineFeed && byte !== carriageReturn) continue
    found.push(bytes.subarray(start, Math.min(at, start + maxLineBytes)))
    if (byte === carriageReturn && bytes[at + 1] === lineFeed) at++
    start = at + 1
  }
  return found
}
