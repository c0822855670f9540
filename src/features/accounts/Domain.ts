import * as Schema from "effect/Schema"
import { field, Text, Uuid } from "../../foundation/schema/Scalars.ts"
import { Moment, secondsOf, Timestamp } from "../../foundation/schema/Time.ts"

/** An account: the tenant that owns projects, keys and everything below them. */
export const AccountId = Uuid.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export const KeyId = Uuid.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/** Plan tiers; their limits per hour, at once and per run are in the table `plans`. */
export const Plan = Schema.Literal("free", "starter", "growth_pro", "agency_team")
export type Plan = typeof Plan.Type

/** Projects that an account of each plan may make over the API; those that are there beyond it stay. */
export const projectsAtMost: Readonly<Record<Plan, number>> = {
  free: 5,
  starter: 25,
  growth_pro: 100,
  agency_team: 1000
}

/** Keys that an account may make in a minute over the API, rotations included. */
export const keysPerMinute = 10

/** What each scope grants. The README's table is made from this. */
export const scopes = {
  "projects:read": "list and read projects",
  "projects:write": "create, change and delete projects",
  "search-data:read": "read keyword rankings, experiments and growth projects",
  "keywords:read": "read keyword rankings (through `*` or `search-data:read` only)",
  "rankings:write": "import search data",
  "audits:read": "read audits, fix directives and audit schedules",
  "audits:write": "ask for audits, and schedule them",
  "experiments:read": "read experiments and growth projects (through `*` or `search-data:read` only)",
  "experiments:write": "create growth projects; create, start and evaluate experiments (through `*` only)",
  "site-health:read": "read site health runs, results and schedules",
  "site-health:write": "start, schedule and cancel site health runs; never part of `*`, always named",
  "geo:read": "read generative-engine visibility",
  "backlinks:read": "read backlinks, referring domains and their authority",
  "backlinks:write": "import backlinks, and have them looked at",
  "interventions:read": "read interventions",
  "interventions:write": "connect sites, change them and take changes back; never part of `*`, always named",
  "geo:write": "set prompts for AI engines, and ask them, which costs money; never part of `*`, always named",
  "webhooks:read": "read webhooks without their secrets, deliveries and events; part of `webhooks:manage`",
  "webhooks:manage": "manage webhooks, ping them, send deliveries again, and all that `webhooks:read` grants",
  "keys:manage":
    "manage keys, without giving more scopes or a longer life than this key has; never part of `*`, always named"
} as const

/** A single permission of a key. */
export type Scope = keyof typeof scopes

const ofAll = "*"
const throughAllOnly: ReadonlySet<string> = new Set(["keywords:read", "experiments:read", "experiments:write"])

/** Whether a new key may be given this scope by name. */
export const isChoosable = (scope: string): boolean =>
  scope === ofAll || (Object.hasOwn(scopes, scope) && !throughAllOnly.has(scope))

/** Scopes that `*` does not grant. */
const alwaysNamed = new Set(["site-health:write", "geo:write", "interventions:write", "keys:manage"])

/** Scopes that another one grants as well. */
const contains: Readonly<Record<string, ReadonlyArray<string>>> = {
  "search-data:read": ["keywords:read", "experiments:read"],
  "webhooks:manage": ["webhooks:read"]
}

/** Whether a key with these scopes may do what `needed` grants: `*` grants all but what must be named. */
export const grants = (held: ReadonlyArray<string>, needed: string): boolean =>
  held.includes(needed) ||
  (held.includes(ofAll) && !alwaysNamed.has(needed)) ||
  held.some((scope) => contains[scope]?.includes(needed) === true)

/** What a key lacks, and the scopes that a key can be given instead where this one cannot be chosen. */
export const lacks = (scope: string): string => {
  if (!throughAllOnly.has(scope)) return `The key lacks the scope ${scope}`
  const wider = Object.keys(contains).filter((name) => contains[name]?.includes(scope) === true)
  return `The key lacks the scope ${scope}, which comes with ${[...wider, ofAll].join(" or ")}`
}

/** The scopes that these grant, each by its name. */
export const granted = (held: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.keys(scopes).filter((scope) => grants(held, scope))

/** An account as the operator sees it. */
export const Account = Schema.Struct({ id: AccountId, name: Schema.String, plan: Plan, created_at: Schema.String })
export type Account = typeof Account.Type

/** A key as the operator sees it: never the key itself, which only its holder has. */
export const Key = Schema.Struct({
  id: KeyId,
  account_id: Schema.NullOr(AccountId),
  name: Schema.NullOr(Schema.String),
  display: Schema.String,
  mode: Schema.Literal("live", "test"),
  scopes: Schema.Array(Schema.String),
  created_at: Schema.String,
  expires_at: Schema.NullOr(Schema.String),
  last_used_at: Schema.NullOr(Schema.String),
  revoked_at: Schema.NullOr(Schema.String)
})
export type Key = typeof Key.Type

const keyFields = {
  id: KeyId.annotations({ description: "UUID of the key, which is no secret" }),
  name: Schema.NullOr(Schema.String).annotations({ description: "Name for people; null when it was given none" }),
  display: Schema.String.annotations({ description: "Prefix and last four characters, to tell keys apart" }),
  mode: Schema.Literal("live", "test").annotations({
    description: "As the prefix of the key says, `fnd_live_` or `fnd_test_`; both do the same"
  }),
  scopes: Schema.Array(Schema.String).annotations({
    description:
      "What the key may do; `*` is all but `site-health:write`, `geo:write`, `interventions:write` and `keys:manage`"
  }),
  created_at: field(Timestamp, "When it was made"),
  expires_at: Schema.NullOr(Timestamp).annotations({ description: "When it ends; null: not at all" }),
  last_used_at: Schema.NullOr(Timestamp).annotations({
    description: "Minute of its last request; null before the first"
  })
}

/** A key as those see it who manage the account's keys. */
export const ManagedKey = Schema.Struct(keyFields).annotations({
  identifier: "ManagedKey",
  description: "A key of the account, without its text"
})
export type ManagedKey = typeof ManagedKey.Type

/** A new key with its text, which is stored nowhere. */
export const NewManagedKey = Schema.Struct({
  ...keyFields,
  key: Schema.String.annotations({ description: "The key itself: only this answer has it" })
}).annotations({ identifier: "NewManagedKey", description: "A new key with its text, which is stored nowhere" })

const KeyScopes = Schema.Array(
  Schema.String.pipe(
    Schema.filter(isChoosable, {
      message: ({ actual }) =>
        `${String(actual).slice(0, 50)} is no scope that a key can be given; there are *, ${Object.keys(scopes).filter(isChoosable).join(", ")}`
    })
  )
).pipe(
  Schema.minItems(1, { message: () => "must name at least one scope" }),
  Schema.maxItems(50, { message: () => "must name at most 50 scopes" })
)

/** The fields of a new key. */
export const NewKey = Schema.Struct({
  name: Text(200).annotations({ description: "Name for people, 1 to 200 characters" }),
  scopes: KeyScopes.annotations({ description: "What the key may do, 1 to 50 scopes that the caller's own key has" }),
  expires_at: Schema.optionalWith(Schema.NullOr(Moment), { default: () => null, exact: true }).annotations({
    description: "When it ends, ISO 8601; null or absent: not at all"
  })
}).annotations({ identifier: "NewKey", description: "What the key may do, and until when" })
export type NewKey = typeof NewKey.Type

/** The changes of a key; absent fields stay as they are. */
export const KeyPatch = Schema.Struct({
  name: Schema.optionalWith(Text(200), { exact: true }).annotations({ description: "New name, 1 to 200 characters" }),
  scopes: Schema.optionalWith(KeyScopes, { exact: true }).annotations({
    description: "What the key may do from now on, 1 to 50 scopes that the caller's own key has"
  }),
  expires_at: Schema.optionalWith(Schema.NullOr(Moment), { exact: true }).annotations({
    description: "When it ends, ISO 8601; null: not at all"
  })
}).annotations({ identifier: "KeyPatch", description: "The changes; absent fields stay as they are" })
export type KeyPatch = typeof KeyPatch.Type

const longestOverlap = 7 * 86_400

/** How long a key that is replaced stays valid, in seconds. */
export const RotateKey = Schema.Struct({
  overlap: Schema.optionalWith(
    Schema.String.pipe(
      Schema.filter((text) => secondsOf(text) <= longestOverlap, {
        jsonSchema: { pattern: "^\\d{1,6}[smhd]$" },
        message: () => "must be a number of s, m, h or d, such as 24h, and at most 7d"
      }),
      Schema.transform(Schema.Number, { strict: true, decode: secondsOf, encode: (seconds) => `${seconds}s` })
    ),
    { default: () => 86_400, exact: true }
  ).annotations({ description: "How long the old key stays valid: 24h by default, 7d at most" })
}).annotations({ identifier: "RotateKey", description: "How long the old key stays valid; the body may be absent" })

/** A key as its holder sees it, with what its account's plan allows. */
export const OwnKey = Schema.Struct({
  ...keyFields,
  grants: Schema.Array(Schema.String).annotations({
    description: "Every scope that the key grants, by name: what `*` stands for, and what a scope contains"
  }),
  account: field(
    Schema.Struct({
      id: AccountId.annotations({ description: "UUID of the account" }),
      name: Schema.String.annotations({ description: "Name of the account, as the operator gave it" })
    }).annotations({ identifier: "KeyAccount", description: "An account, by id and name" }),
    "Account that the key belongs to"
  ),
  plan: Plan.annotations({ description: "Plan of the account" }),
  limits: field(
    Schema.Struct({
      requests_per_minute: Schema.Int.annotations({ description: "Requests in any 60 seconds" }),
      requests_per_second: Schema.Int.annotations({ description: "Requests in any second" }),
      runs_per_hour: Schema.Int.annotations({ description: "Site health runs that may be started in any hour" }),
      runs_at_once: Schema.Int.annotations({ description: "Site health runs that may be in progress" }),
      pages_per_run: Schema.Int.annotations({ description: "Pages that a run may read" }),
      keys: Schema.Int.annotations({ description: "Usable keys that the account may have over the API" }),
      looks_per_day: Schema.Int.annotations({ description: "Linking pages that are looked at in a day, by UTC" }),
      projects: Schema.Int.annotations({ description: "Projects that the account may create over the API" })
    }).annotations({ identifier: "PlanLimits", description: "What a plan allows" }),
    "What the plan allows"
  )
}).annotations({ identifier: "ApiKey", description: "The key in use, with what its account's plan allows" })
export type OwnKey = typeof OwnKey.Type
