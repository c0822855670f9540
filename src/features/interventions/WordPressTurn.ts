import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { LeaseLost } from "../../foundation/database/Lease.ts"
import { Outbound } from "../../foundation/outbound/Outbound.ts"
import { Credentials } from "./Connectors.ts"
import type { ChangedField } from "./Domain.ts"
import { rollback, type WordPressState } from "./Interventions.ts"
import {
  again,
  type Claim,
  doubtful,
  isTakenBack,
  looksOver,
  made,
  merged,
  QueueRepo,
  type Turn,
  unseen
} from "./Queue.ts"
import * as WordPress from "./WordPress.ts"

/** Waits before a retry after a temporary failure, and without credentials. */
const soon = "1 minute"
const later = "10 minutes"

type Site = Effect.Effect.Success<ReturnType<typeof WordPress.make>>

/** The result of a write: by the current values, then by the response. */
type Written = Data.TaggedEnum<{
  Done: object
  /** The write was sent without a clear refusal, and the values are missing. */
  Doubtful: { readonly message: string }
  Foreign: { readonly message: string }
  /** WordPress accepted the write, and has another value now. */
  Other: {
    readonly field: ChangedField
    readonly stored: WordPressState["stored"]
    readonly value: string | undefined
  }
  Refused: { readonly message: string }
}>
const Written = Data.taggedEnum<Written>()

/** Names of the two writes of a change. */
const nameOf = { after: "write", before: `${rollback}write` } as const

const doubt = (message: string) =>
  `WordPress: the change was sent once and got no clear answer (${message}). The site does not show it. Findable checks again and does not resend it: roll the change back, then propose it again`

/** The result of a write is unreadable: the write stays in doubt, and the next turn reads its result. */
const unread = ({ isRefusal, message, status }: WordPress.WordPressFailed) =>
  new WordPress.WordPressFailed({ isPassing: true, isRefusal, message, status })

/** The values of WordPress in the response to a write. */
const storedBy = (fields: WordPressState["fields"], post: WordPress.Post): WordPressState["stored"] =>
  fields.flatMap(({ name }) => {
    const value = WordPress.valueOf(post, name)
    return value === undefined ? [] : [{ name, value }]
  })

/** The turns of changes through WordPress. */
export class WordPressTurn extends Effect.Service<WordPressTurn>()("interventions/WordPressTurn", {
  dependencies: [Credentials.Default, QueueRepo.Default],
  effect: Effect.gen(function* () {
    const credentials = yield* Credentials
    const outbound = yield* Outbound
    const queue = yield* QueueRepo

    /** Writes one side of the fields once, and reads it back after any response. Nothing is written if somebody else has changed a field. */
    const written = Effect.fnUntraced(function* (
      claim: Claim,
      state: WordPressState,
      site: Site,
      side: "after" | "before"
    ) {
      const { fields } = state
      const { address, post } = yield* claim.sent.length === 0 ? site.read : Effect.mapError(site.read, unread)
      const foreign = WordPress.unlikeOf(state, post, ["after", "before"])
      if (foreign !== undefined) return Written.Foreign({ message: foreign })
      const values = WordPress.otherThan(fields, post, side)
      if (values.length === 0) return Written.Done()
      const name = nameOf[side]
      if (!(yield* queue.sending(claim, name))) return Written.Doubtful({ message: "no response is known" })
      const answer = yield* Effect.either(
        site.write(
          address,
          values.map((field) => [field.name, field[side]] as const)
        )
      )
      if (answer._tag === "Left" && answer.left.isRefusal && answer.left.status === null) {
        yield* queue.forget(claim, name)
        return yield* answer.left
      }
      const { post: now } = yield* Effect.mapError(site.read, unread)
      const [other] = WordPress.otherThan(fields, now, side)
      if (other === undefined) return Written.Done()
      if (answer._tag === "Right")
        return Written.Other({
          field: other,
          stored: storedBy(fields, answer.right),
          value: WordPress.valueOf(now, other.name)
        })
      const { isRefusal, message } = answer.left
      const isUntouched = fields.every(({ name }) => WordPress.valueOf(now, name) === WordPress.valueOf(post, name))
      if (!isRefusal || !isUntouched) return Written.Doubtful({ message })
      yield* queue.forget(claim, name)
      return Written.Refused({ message })
    })

    /** A written change: deployed when the public page shows it. */
    const seen = Effect.fnUntraced(function* (claim: Claim, { fields, link }: WordPressState) {
      const lacks = yield* WordPress.lacks(
        link,
        fields.map(({ after, name }) => WordPress.shownOf(name, after))
      ).pipe(Effect.provideService(Outbound, outbound))
      return lacks === undefined ? made(claim, { status: "deployed" }) : lacks
    })

    const proposing = Effect.fnUntraced(function* (claim: Claim, state: WordPressState, site: Site) {
      const end = yield* written(claim, state, site, "after")
      const now = yield* DateTime.now
      switch (end._tag) {
        case "Done": {
          const shown = yield* seen(claim, state)
          return typeof shown === "string"
            ? merged(claim, now, { error: `WordPress saved the change, but ${shown}` })
            : { ...shown, mergedAt: now }
        }
        case "Doubtful":
          return yield* doubtful(claim, doubt(end.message))
        case "Foreign":
        case "Refused":
          return made(claim, { error: end.message, status: "conflict" })
        case "Other": {
          const { before, name } = end.field
          const wordpress = { ...state, stored: end.stored }
          return end.value === before
            ? made(claim, {
                error: `WordPress accepted ${name} but did not save it, because the field is not registered for ${state.post_type}. Register it in WordPress, then try again`,
                mergedAt: now,
                status: "not_verified",
                wordpress
              })
            : made(claim, {
                error: `WordPress saved another value for ${name} than Findable sent`,
                mergedAt: now,
                status: "conflict",
                wordpress
              })
        }
      }
    })

    const looking = Effect.fnUntraced(function* (claim: Claim, state: WordPressState, site: Site) {
      const { post } = yield* site.read
      const other = WordPress.unlikeOf({ fields: state.fields, stored: [] }, post, ["after"])
      if (other !== undefined) return made(claim, { error: other, status: "conflict" })
      const end = yield* seen(claim, state)
      if (typeof end !== "string") return end
      return unseen(claim, `WordPress saved the change, but ${end}`, {
        verifications: looksOver(claim, yield* DateTime.now)
      })
    })

    const restoring = Effect.fnUntraced(function* (claim: Claim, state: WordPressState, site: Site) {
      const end = yield* written(claim, state, site, "before")
      switch (end._tag) {
        case "Done":
          return made(claim, { status: "rolled_back" })
        case "Doubtful":
          return yield* doubtful(claim, doubt(end.message))
        case "Foreign":
          return made(claim, { error: end.message, status: "conflict" })
        case "Refused":
          return made(claim, { error: end.message, status: claim.deployedAt === null ? "conflict" : "deployed" })
        case "Other":
          return made(claim, { error: `WordPress did not restore ${end.field.name}`, status: "conflict" })
      }
    })

    const asked = Effect.fnUntraced(function* (claim: Claim, state: WordPressState) {
      const access = yield* credentials.wordpress(claim.project)
      const site = yield* Effect.provideService(WordPress.make(access, state), Outbound, outbound)
      if (isTakenBack(claim)) return yield* restoring(claim, state, site)
      return yield* claim.status === "proposed" || claim.status === "conflict"
        ? proposing(claim, state, site)
        : looking(claim, state, site)
    })

    /** One turn; temporary failures and missing credentials lead to a retry. */
    const turn = (claim: Claim, state: WordPressState): Effect.Effect<Turn, LeaseLost> =>
      asked(claim, state).pipe(
        Effect.catchTags({
          NotConnected: ({ message }) => again(claim, later, { error: message }),
          WordPressFailed: ({ isPassing, message, status }) =>
            isPassing || status === 401 || claim.status !== "proposed"
              ? again(claim, isPassing && status !== 401 ? soon : later, { error: message })
              : Effect.succeed(made(claim, { error: message, status: "conflict" }))
        })
      )

    return { turn }
  })
}) {}
