/** Platform adapter: Zstandard (RFC 8878) of `node:zlib`, which Bun has, and Node from 22.15 on. */
import * as zlib from "node:zlib"

/** Whether this runtime can decode it; where it cannot, requests do not accept it. */
export const isAvailable = "createZstdDecompress" in zlib

/** The largest window that RFC 9659 lets a server use. */
const largestWindow = 23

/** Makes a decoder; only where it is available. */
export const decoder = () =>
  zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: largestWindow } })
