const words = (value: number): readonly [number, number] => [value >>> 0, Math.floor(value / 4_294_967_296) >>> 0]

/** FNV-1a over the halves of whole numbers up to 2^53. */
export const hash = (columns: ReadonlyArray<Float64Array>): number => {
  let state = 0x811c9dc5
  for (const column of columns)
    for (const value of column)
      for (const word of words(value)) {
        state = Math.imul(state ^ word, 0x01000193)
        state ^= state >>> 15
      }
  return state >>> 0
}

/** C. Doty-Humphrey's generator sfc32, seeded: numbers from 0 to 1, the same for the same seed on every machine. */
export const seededRandom = (seed: number): (() => number) => {
  let a = seed | 0
  let b = 0x9e3779b9 | 0
  let c = 0x243f6a88
  let counter = 1
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return (sum >>> 0) / 4_294_967_296
  }
  for (let round = 0; round < 15; round++) next()
  return next
}
