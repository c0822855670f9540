import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Fault } from "../Outbound.ts"
import type { Resolver } from "../Resolver.ts"
import { parse } from "./Address.ts"
import { refusal } from "./AddressClass.ts"
import type { Cidr } from "./Cidr.ts"

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

const judge = (name: string, answer: string, allowed: ReadonlyArray<Cidr>) =>
  Option.match(parse(answer), {
    onNone: () => Option.some("unknown"),
    onSome: (address) => refusal(address, allowed)
  }).pipe(
    Option.map((kind) => {
      const what = answer === name ? "is not a public address" : "leads to an address that is not public"
      return new Fault({ reason: "blocked_address", message: `${name} ${what} (${kind})` })
    })
  )

/** The addresses of a host, looked up once (a literal stands for itself): all of them may be dialled, or the whole host is refused. */
export const vet = Effect.fnUntraced(function* (
  name: string,
  resolver: Context.Tag.Service<Resolver>,
  allowed: ReadonlyArray<Cidr>
) {
  const answers = Option.isSome(parse(name)) ? [name] : yield* lookUp(name, resolver)
  for (const answer of answers) {
    const fault = judge(name, answer, allowed)
    if (Option.isSome(fault)) return yield* fault.value
  }
  const [first, ...others] = answers
  if (first === undefined) return yield* new Fault({ reason: "dns", message: `${name} has no address` })
  return [first, ...others] as const
})
