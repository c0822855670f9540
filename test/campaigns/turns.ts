import { join } from "node:path"
import type { Node } from "./node.ts"

/** Settings of a node that tells on its standard error which turns of its event loop were long. */
export const telling = { BUN_OPTIONS: `--preload=${join(import.meta.dir, "hostile/pauses.ts")}` }

/** A turn below this is not told, in milliseconds. */
const untold = 20

/** How far a node has told its turns. */
export const toldBy = (node: Node) => node.output().length

/** CPU milliseconds of each long turn that a node told since then. */
export const turnsSince = (node: Node, then: number): ReadonlyArray<number> =>
  Array.from(
    node
      .output()
      .slice(then)
      .matchAll(/busy for (\d+) ms/g),
    ([, millis]) => Number(millis)
  )

/** CPU milliseconds of the longest turn since then, 20 at least. */
export const longestTurn = (node: Node, then: number) => Math.max(untold, ...turnsSince(node, then))
