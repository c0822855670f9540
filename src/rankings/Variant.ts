/** Hash of a text to an integer below 2^53, continued from `seed`: two multiplying 32-bit lanes, the second cut to 21 bits. */
export const hash = (text: string, seed = 0): number => {
  let low = seed | 0
  let high = Math.floor(seed / 4294967296) ^ 0x9e3779b9
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high + unit, 0x85ebca6b) ^ (high >>> 13)
  }
  low = Math.imul(low ^ (low >>> 15) ^ high, 0xc2b2ae35)
  high = Math.imul(high ^ (high >>> 16), 0x27d4eb2f)
  return ((high ^ (high >>> 11)) & 0x1fffff) * 4294967296 + ((low ^ (low >>> 13)) >>> 0)
}
