import { join } from "node:path"
import type { Node } from "../node.ts"
import type { Installation } from "./installation.ts"

/** The input of an attack: base URL, keys, and ids or URLs by kind. */
export interface Target {
  readonly base: string
  readonly given: Readonly<Record<string, ReadonlyArray<string>>>
  readonly keys: ReadonlyArray<string>
  readonly scale: number
}

/** The reports of an attack. */
export interface Report {
  /** Counts one thing, such as a response with a status. */
  readonly count: (what: string | number) => void
  /** The preparations of the attack are complete. */
  readonly ready: () => void
}

/** The requests of one tenant, or of a caller without a key, as fast as allowed, until its process is ended. */
export type Attack = (target: Target, report: Report) => Promise<unknown>

/** An attack with its input. */
export interface Arms {
  readonly given?: Readonly<Record<string, ReadonlyArray<string>>>
  readonly keys: ReadonlyArray<string>
}

/** Starts an attack in a separate process and waits until it is ready; `stop` ends it and returns its counts. */
export const launch = async (installation: Installation, { base }: Node, name: string, { given = {}, keys }: Arms) => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "attacker.ts"), name], {
    detached: true,
    stderr: "inherit",
    stdin: "pipe",
    stdout: "pipe"
  })
  const target: Target = { base, given, keys, scale: installation.options.scale }
  child.stdin.write(`${JSON.stringify(target)}\n`)
  child.stdin.flush()
  let output = ""
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  const line = async (): Promise<string> => {
    const end = output.indexOf("\n")
    if (end >= 0) {
      const text = output.slice(0, end)
      output = output.slice(end + 1)
      return text
    }
    const { done, value } = await lines.read()
    if (done) throw new Error(`The attack ${name} ended with ${await child.exited} before it was stopped`)
    output += value
    return await line()
  }
  installation.onClose(() => child.kill("SIGKILL"))
  await line()
  const stop = async (): Promise<Readonly<Record<string, number>>> => {
    child.stdin.end()
    return JSON.parse(await line())
  }
  return { stop }
}
