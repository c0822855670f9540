/** The encoding of a text of JSON: UTF-8, or UTF-16 with a byte order mark, which PowerShell's `>` writes. */
export const encodingOf = (bytes: Uint8Array) => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le" as const
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be" as const
  return "utf-8" as const
}
