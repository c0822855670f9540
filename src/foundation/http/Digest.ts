/** Platform adapter: synchronous SHA-256 and HMAC-SHA256. Web Crypto is asynchronous and changes threads for each short text. */
import { hash } from "node:crypto"

/** SHA-256 of bytes, or of a text's UTF-8 bytes. */
export const sha256 = (data: string | Uint8Array): Buffer => hash("sha256", data, "buffer")

/** HMAC-SHA256 of a text's UTF-8 bytes. */
export const hmacSha256 = (key: Uint8Array, text: string): Buffer =>
  new Bun.CryptoHasher("sha256", key).update(text).digest()
