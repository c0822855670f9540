/** Platform adapter: a digest over files that are read piece by piece; the web's own digests want all bytes at once. */
import { createHash } from "node:crypto"

/** Takes the bytes of one file, in their order. */
export const fileHash = () => {
  const hash = createHash("sha256")
  return { add: (bytes: Uint8Array) => void hash.update(bytes), digest: (): Uint8Array => hash.digest() }
}

/** One digest of several files in their order, and of how they are read. */
export const hashOf = (how: ReadonlyArray<string>, files: ReadonlyArray<Uint8Array>): string => {
  const hash = createHash("sha256").update(JSON.stringify(how))
  for (const digest of files) hash.update(digest)
  return hash.digest("hex")
}
