import type { Decoder } from "./Decoder.ts"

/** The first bytes that distinguish the known containers and texts. */
const needed = 4

/** Chooses a decoder by the first bytes of a file, whatever its name. */
export const decoder = (choose: (start: Uint8Array) => Decoder): Decoder => {
  let held = new Uint8Array(0)
  let chosen: Decoder | undefined
  const grown = (bytes: Uint8Array) => {
    const all = new Uint8Array(held.length + bytes.length)
    all.set(held)
    all.set(bytes, held.length)
    return all
  }
  return {
    push: (bytes) => {
      if (chosen !== undefined) return chosen.push(bytes)
      held = grown(bytes)
      if (held.length < needed) return [].values()
      chosen = choose(held)
      return chosen.push(held)
    },
    end: function* () {
      const known = chosen ?? choose(held)
      if (chosen === undefined) yield* known.push(held)
      yield* known.end()
    }
  }
}
