import type { Host } from "../UrlRules.ts"

/**
 * The host and port of an address that a person typed, which may be private for the work of that command. Its addresses are those of its first look-up:
 * a name that has others later is judged like any other name, so an answer that changes leads nowhere else.
 */
export interface TypedHost {
  /** Those of the answers for a host that are open because a person typed it. */
  readonly opened: (host: Host, answers: ReadonlyArray<string>) => ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()

/** The exception for one host and port. */
export const make = (typed: Host): TypedHost => {
  let first: ReadonlySet<string> | undefined
  return {
    opened: ({ name, port }, answers) => {
      if (name !== typed.name || port !== typed.port) return none
      first ??= new Set(answers)
      return first
    }
  }
}
