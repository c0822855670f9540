import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Outbound } from "../../../../foundation/outbound/Outbound.ts"
import { Credentials } from "../connectors/Credentials.ts"
import type { Claim } from "../QueueRepo.ts"
import type { WordPressState } from "../State.ts"
import { otherThan, shownOf, unlikeOf } from "../wordpress/Fields.ts"
import * as Page from "../wordpress/Page.ts"
import * as WordPress from "../wordpress/WordPress.ts"
import { again, looksOver, made, merged, type Turn, unseen } from "./Turn.ts"

/** Until something is tried again that did not succeed for a passing reason, or for want of credentials. */
const soon = "1 minute"
const later = "10 minutes"

type Site = Effect.Effect.Success<ReturnType<typeof WordPress.make>>
type Fields = WordPressState["fields"]

/** The turns of changes that go through WordPress. */
export class WordPressTurn extends Effect.Service<WordPressTurn>()("interventions/turns/WordPressTurn", {
  dependencies: [Credentials.Default],
  effect: Effect.gen(function* () {
    const credentials = yield* Credentials
    const outbound = yield* Outbound

    /** Writes one side of the fields where the other one is, and reads it back. Where somebody else has changed a field nothing is written. */
    const written = Effect.fnUntraced(function* (site: Site, fields: Fields, side: "after" | "before") {
      const post = yield* site.read
      const foreign = unlikeOf(fields, post, ["after", "before"])
      if (foreign !== undefined) return foreign
      const values = otherThan(fields, post, side)
      if (values.length === 0) return undefined
      yield* site.write(values.map((field) => [field.name, field[side]] as const))
      const now = yield* site.read
      return otherThan(fields, now, side).map((field) => ({ field, value: WordPress.valueOf(now, field.name) }))[0]
    })

    /** A change whose value is written: deployed when the public page shows it. */
    const seen = Effect.fnUntraced(function* (claim: Claim, { fields, link }: WordPressState) {
      const lacks = yield* Page.lacks(
        link,
        fields.map(({ after, name }) => shownOf(name, after))
      ).pipe(Effect.provideService(Outbound, outbound))
      return lacks === undefined ? made(claim, { status: "deployed" }) : lacks
    })

    const proposing = Effect.fnUntraced(function* (claim: Claim, state: WordPressState, site: Site) {
      const other = yield* written(site, state.fields, "after")
      if (typeof other === "string") return made(claim, { error: other, status: "conflict" })
      const now = yield* DateTime.now
      if (other !== undefined) {
        const {
          field: { before, name },
          value
        } = other
        return value === before
          ? made(claim, {
              error: `WordPress answered as if it took ${name}, and dropped it: it is not registered for ${state.post_type}, so it is not deployed`,
              mergedAt: now,
              status: "not_verified"
            })
          : made(claim, {
              error: `WordPress stored another value for ${name} than was written`,
              mergedAt: now,
              status: "conflict"
            })
      }
      const end = yield* seen(claim, state)
      return typeof end === "string"
        ? merged(claim, now, { error: `It is written, but ${end}` })
        : { ...end, mergedAt: now }
    })

    const looking = Effect.fnUntraced(function* (claim: Claim, state: WordPressState, site: Site) {
      const post = yield* site.read
      const other = unlikeOf(state.fields, post, ["after"])
      if (other !== undefined) return made(claim, { error: other, status: "conflict" })
      const end = yield* seen(claim, state)
      if (typeof end !== "string") return end
      return unseen(claim, `It is written, but ${end}`, { verifications: looksOver(claim, yield* DateTime.now) })
    })

    const restoring = Effect.fnUntraced(function* (claim: Claim, state: WordPressState, site: Site) {
      const other = yield* written(site, state.fields, "before")
      if (other === undefined) return made(claim, { status: "rolled_back" })
      const error = typeof other === "string" ? other : `WordPress did not take back ${other.field.name}`
      return made(claim, { error, status: "conflict" })
    })

    const asked = Effect.fnUntraced(function* (claim: Claim, state: WordPressState) {
      const access = yield* credentials.wordpress(claim.project)
      const site = yield* Effect.provideService(WordPress.make(access, state), Outbound, outbound)
      switch (claim.status) {
        case "proposed":
          return yield* proposing(claim, state, site)
        case "rolling_back":
          return yield* restoring(claim, state, site)
        default:
          return yield* looking(claim, state, site)
      }
    })

    /** One turn; what fails for a passing reason, or for want of credentials, is tried again. */
    const turn = (claim: Claim, state: WordPressState): Effect.Effect<Turn> =>
      asked(claim, state).pipe(
        Effect.catchTags({
          NotConnected: ({ message }) => again(claim, later, { error: message }),
          WordPressFailed: ({ isPassing, message, status }) =>
            isPassing || status === 401 || claim.status !== "proposed"
              ? again(claim, isPassing ? soon : later, { error: message })
              : Effect.succeed(made(claim, { error: message, status: "conflict" }))
        })
      )

    return { turn }
  })
}) {}
