import { join } from "node:path"
import type { Node } from "./node.ts"

/** Settings of a server that prints long turns of its event loop to standard error. */
export const telling = { BUN_OPTIONS: `--preload=${join(import.meta.dir, "hostile/pauses.ts")}` }

/** Shorter turns are not reported, in milliseconds. */
const untold = 20

/** The position in a server's reported turns. */
export const toldBy = (node: Node) => node.output().length

/** CPU milliseconds of each long turn since a position. */
export const turnsSince = (node: Node, then: number): ReadonlyArray<number> =>
  Array.from(
    node
      .output()
      .slice(then)
      .matchAll(/busy for (\d+) ms/g),
    ([, millis]) => Number(millis)
  )

/** CPU milliseconds of the longest turn since a position, at least 20. */
export const longestTurn = (node: Node, then: number) => Math.max(untold, ...turnsSince(node, then))
