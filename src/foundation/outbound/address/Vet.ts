import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Fault } from "../Outbound.ts"
import type { Resolver } from "../Resolver.ts"
import type { Host } from "../UrlRules.ts"
import { parse } from "./Address.ts"
import { refusal } from "./AddressClass.ts"
import type { Cidr } from "./Cidr.ts"
import { openingOf, openingOfKind } from "./Opening.ts"
import type { TypedHost } from "./TypedHost.ts"

/** What hosts are judged by. */
export interface Guard {
  readonly resolver: Context.Tag.Service<Resolver>
  /** Ranges that may be reached although they are not global. */
  readonly allowed: ReadonlyArray<Cidr>
  /** The host that a person typed at the command line of this machine. */
  readonly typed?: TypedHost
}

/** A name without an answer by then counts as having no address. */
const lookupBound = "5 seconds"

const lookUp = (name: string, resolver: Context.Tag.Service<Resolver>) =>
  resolver.addresses(name).pipe(
    Effect.mapError(({ message }) => new Fault({ reason: "dns", message })),
    Effect.timeoutFail({
      duration: lookupBound,
      onTimeout: () => new Fault({ reason: "dns", message: `The look-up of ${name} took more than ${lookupBound}` })
    })
  )

const kindOf = (answer: string, allowed: ReadonlyArray<Cidr>): Option.Option<string> =>
  Option.match(parse(answer), {
    onNone: () => Option.some("unknown"),
    onSome: (address) => refusal(address, allowed)
  })

/** The refusal of a host. Only the operator of this machine learns what a name resolves to: other callers learn its kind, and the setting for all addresses of that kind. */
const refused = (name: string, kind: string, answers: ReadonlyArray<string>, isOperator: boolean) => {
  const isLiteral = answers[0] === name
  const what = isLiteral ? "is not a public address" : "leads to an address that is not public"
  const addresses = answers.flatMap((answer) => Option.toArray(parse(answer)))
  const opening = isLiteral || isOperator ? openingOf(addresses) : openingOfKind(kind)
  return new Fault({ reason: "blocked_address", message: `${name} ${what} (${kind}); ${opening}` })
}

/** The addresses of a host, looked up once (a literal stands for itself): all of them may be dialled, or the whole host is refused. */
export const vet = Effect.fnUntraced(function* (host: Host, { allowed, resolver, typed }: Guard) {
  const { name } = host
  const answers = Option.isSome(parse(name)) ? [name] : yield* lookUp(name, resolver)
  const opened = typed?.opened(host, answers)
  const bad = answers.flatMap((answer) =>
    opened?.has(answer) === true
      ? []
      : Option.toArray(Option.map(kindOf(answer, allowed), (kind) => ({ answer, kind })))
  )
  const [worst] = bad
  if (worst !== undefined) {
    return yield* refused(
      name,
      worst.kind,
      bad.map(({ answer }) => answer),
      typed !== undefined
    )
  }
  const [first, ...others] = answers
  if (first === undefined) return yield* new Fault({ reason: "dns", message: `${name} has no address` })
  return [first, ...others] as const
})
