// ZIP and gzip files inside imports are unpacked by fflate, within the call that hands on their bytes: the end of a member is known only by unpacking it, and a
// decoder that waited for `Gzip.ts` between pieces could not make one batch on demand. `node:zlib` reads no ZIP.

/** Bytes that packed input may unpack to: bulk files are large, so the ratio is what gives a bomb away. */
const limits = { bytes: 64 * 1024 ** 3, ratio: 200, ratioFrom: 64 * 1024 ** 2 } as const

/** Packed bytes handled at a time: deflate makes at most some 1,030 times as many of them. */
const slice = 16384

/** Copies of the input in slices; empty input gives one empty slice, because the end is passed on with the last one. */
export function* slices(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at === 0 || at < bytes.length; at += slice) yield bytes.slice(at, at + slice)
}

/** Counts both sides of an inflation. */
export interface Gauge {
  packed: number
  unpacked: number
}

/** Whether the input unpacks to more than honest data can. */
export const isBomb = ({ packed, unpacked }: Gauge): boolean =>
  unpacked > limits.bytes || (unpacked > limits.ratioFrom && unpacked > packed * limits.ratio)
