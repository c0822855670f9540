import type { AddressCheck } from "../visit/CheckAddress.ts"

/** Addresses besides the pages that a run asks for, after the pages. */
export interface Checks {
  /** Those that have a turn, in their order. */
  readonly wanted: ReadonlyArray<string>
  /** How many more there are. */
  readonly left: number
  /** The pages whose addresses these are; null for all. */
  readonly of: ReadonlySet<string> | null
  /** The answers as they come; an address for which there was no time has none. */
  readonly answers: Map<string, AddressCheck>
}

/** Whether the addresses of a page are among them. */
export const concerns = (checks: Checks | null, url: string): boolean => checks?.of?.has(url) ?? true

/** How many addresses had no turn or no time. */
export const unasked = ({ answers, left, wanted }: Checks): number => left + wanted.length - answers.size

/** How many addresses have a verdict. */
export const having = ({ answers, wanted }: Checks, verdict: AddressCheck["verdict"]): number =>
  wanted.filter((url) => answers.get(url)?.verdict === verdict).length
