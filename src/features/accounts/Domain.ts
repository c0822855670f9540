import * as Schema from "effect/Schema"
import { field, Text, Uuid } from "../../foundation/schema/Scalars.ts"
import { Moment, secondsOf, Timestamp } from "../../foundation/schema/Time.ts"

/** An account: the tenant that owns projects, keys and everything below them. */
export const AccountId = Uuid.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

export const KeyId = Uuid.pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/** Plan tiers. The table `plans` has their limits per hour, of concurrent runs and per run. */
export const Plan = Schema.Literal("free", "starter", "growth_pro", "agency_team")
export type Plan = typeof Plan.Type

/** The most projects that an account of each plan may create over the API. Projects beyond the limit stay. */
export const projectsAtMost: Readonly<Record<Plan, number>> = {
  free: 5,
  starter: 25,
  growth_pro: 100,
  agency_team: 1000
}

/** Keys that an account may create over the API in a minute, including rotations. */
export const keysPerMinute = 10

/** The rights of each scope. The README's table is made from this. */
export const scopes = {
  "projects:read": "list and read sites",
  "projects:write": "add, change and delete sites",
  "search-data:read": "read keyword rankings, experiments and experiment domains",
  "keywords:read": "read keyword rankings (through `*` or `search-data:read` only)",
  "rankings:write": "import search data",
  "audits:read": "read page audits, their fixes and audit schedules",
  "audits:write": "schedule page audits and import reports",
  "experiments:read": "read experiments and experiment domains (through `*` or `search-data:read` only)",
  "experiments:write": "add experiment domains; create, start and evaluate experiments (through `*` only)",
  "site-health:read": "read crawls, their results and schedules",
  "site-health:write": "start, schedule and cancel crawls; never part of `*`, always named",
  "geo:read": "read AI visibility",
  "backlinks:read": "read backlinks, referring domains and their authority",
  "backlinks:write": "import backlinks and check them",
  "interventions:read": "read site changes",
  "interventions:write":
    "connect sites to GitHub and WordPress, change them and roll changes back; never part of `*`, always named",
  "geo:write": "set prompts and start AI visibility runs, which cost money; never part of `*`, always named",
  "webhooks:read": "read webhook endpoints without their secrets, deliveries and events; part of `webhooks:manage`",
  "webhooks:manage": "manage and ping webhook endpoints, resend deliveries, and everything in `webhooks:read`",
  "keys:manage":
    "manage API keys, without more scopes or a later expiry than this key has; never part of `*`, always named",
  "server:read":
    "read storage, queues and backups of the server (through `findable console --operator` only); never part of `*`"
} as const

/** A single permission of a key. */
export type Scope = keyof typeof scopes

const ofAll = "*"
const throughAllOnly: ReadonlySet<string> = new Set(["keywords:read", "experiments:read", "experiments:write"])

/** The scope of the server's administrator, which only a session of the console can have. */
export const ofAdministrator = "server:read"

/** Whether a new key may get this scope by name. */
export const isChoosable = (scope: string): boolean =>
  scope === ofAll || (Object.hasOwn(scopes, scope) && !throughAllOnly.has(scope) && scope !== ofAdministrator)

/** Scopes that `*` does not grant. */
const alwaysNamed = new Set(["site-health:write", "geo:write", "interventions:write", "keys:manage", ofAdministrator])

/** Scopes that another scope also grants. */
const contains: Readonly<Record<string, ReadonlyArray<string>>> = {
  "search-data:read": ["keywords:read", "experiments:read"],
  "webhooks:manage": ["webhooks:read"]
}

/** Whether these scopes of a key grant `needed`. `*` grants all scopes except the ones that must be named. */
export const grants = (held: ReadonlyArray<string>, needed: string): boolean =>
  held.includes(needed) ||
  (held.includes(ofAll) && !alwaysNamed.has(needed)) ||
  held.some((scope) => contains[scope]?.includes(needed) === true)

/** The message for a missing scope, with the scopes to choose instead when nobody can choose this one. */
export const lacks = (scope: string): string => {
  if (!throughAllOnly.has(scope)) return `The key lacks the scope ${scope}`
  const wider = Object.keys(contains).filter((name) => contains[name]?.includes(scope) === true)
  return `The key lacks the scope ${scope}, which comes with ${[...wider, ofAll].join(" or ")}`
}

/** The names of all granted scopes. */
export const granted = (held: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.keys(scopes).filter((scope) => grants(held, scope))

/** The administrator's view of an account. */
export const Account = Schema.Struct({ id: AccountId, name: Schema.String, plan: Plan, created_at: Schema.String })
export type Account = typeof Account.Type

/** The administrator's view of a key, without its text, which only its holder has. */
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
  id: KeyId.annotations({ description: "UUID of the API key; it is not secret" }),
  name: Schema.NullOr(Schema.String).annotations({ description: "Display name; null without one" }),
  display: Schema.String.annotations({ description: "Prefix and last four characters, to recognize the key" }),
  mode: Schema.Literal("live", "test").annotations({
    description: "From the prefix, `fnd_live_` or `fnd_test_`; both work the same"
  }),
  scopes: Schema.Array(Schema.String).annotations({
    description:
      "Scopes of the key; `*` is everything except `site-health:write`, `geo:write`, `interventions:write` and `keys:manage`"
  }),
  created_at: field(Timestamp, "When it was created"),
  expires_at: Schema.NullOr(Timestamp).annotations({ description: "When it expires; null: never" }),
  last_used_at: Schema.NullOr(Timestamp).annotations({
    description: "Minute of the last request; null before the first"
  })
}

/** A key manager's view of a key. */
export const ManagedKey = Schema.Struct(keyFields).annotations({
  identifier: "ManagedKey",
  description: "An API key, without the key itself"
})
export type ManagedKey = typeof ManagedKey.Type

/** A new key with its text, which is stored nowhere. */
export const NewManagedKey = Schema.Struct({
  ...keyFields,
  key: Schema.String.annotations({ description: "The API key itself; only this response has it" })
}).annotations({ identifier: "NewManagedKey", description: "A new API key; Findable does not store the key itself" })

const KeyScopes = Schema.Array(
  Schema.String.pipe(
    Schema.filter(isChoosable, {
      message: ({ actual }) =>
        `${String(actual).slice(0, 50)} is no scope that a key can be given; there are *, ${Object.keys(scopes).filter(isChoosable).join(", ")}`
    })
  )
).pipe(
  Schema.minItems(1, { message: () => "must have at least one scope" }),
  Schema.maxItems(50, { message: () => "must have at most 50 scopes" })
)

/** The fields of a new key. */
export const NewKey = Schema.Struct({
  name: Text(200).annotations({ description: "Display name, 1 to 200 characters" }),
  scopes: KeyScopes.annotations({ description: "Scopes, 1 to 50 that your own key has" }),
  expires_at: Schema.optionalWith(Schema.NullOr(Moment), { default: () => null, exact: true }).annotations({
    description: "When it expires, ISO 8601; null or absent: never"
  })
}).annotations({ identifier: "NewKey", description: "Name, scopes and expiry" })
export type NewKey = typeof NewKey.Type

/** The changes of a key; absent fields stay unchanged. */
export const KeyPatch = Schema.Struct({
  name: Schema.optionalWith(Text(200), { exact: true }).annotations({ description: "New name, 1 to 200 characters" }),
  scopes: Schema.optionalWith(KeyScopes, { exact: true }).annotations({
    description: "New scopes, 1 to 50 that your own key has"
  }),
  expires_at: Schema.optionalWith(Schema.NullOr(Moment), { exact: true }).annotations({
    description: "When it expires, ISO 8601; null: never"
  })
}).annotations({ identifier: "KeyPatch", description: "Fields to change; fields that you leave out stay the same" })
export type KeyPatch = typeof KeyPatch.Type

const longestOverlap = 7 * 86_400

/** How long a key that is replaced stays valid, in seconds. */
export const RotateKey = Schema.Struct({
  overlap: Schema.optionalWith(
    Schema.String.pipe(
      Schema.filter((text) => secondsOf(text) <= longestOverlap, {
        jsonSchema: { pattern: "^\\d{1,6}[smhd]$" },
        message: () => "must be seconds, minutes, hours or days, such as 24h, and at most 7d"
      }),
      Schema.transform(Schema.Number, { strict: true, decode: secondsOf, encode: (seconds) => `${seconds}s` })
    ),
    { default: () => 86_400, exact: true }
  ).annotations({ description: "How long the old key stays valid: 24h by default, 7d at most" })
}).annotations({ identifier: "RotateKey", description: "How long the old key stays valid; the body is optional" })

/** A limit of the plan and its use. */
const LimitUse = Schema.Struct({
  limit: Schema.Int.annotations({ description: "What the plan allows" }),
  used: Schema.NonNegativeInt.annotations({ description: "How much is used; more than the limit is possible" }),
  resets_at: Schema.NullOr(Timestamp).annotations({
    description: "When the use begins to fall; null when it does not fall by itself, and when nothing is used"
  })
}).annotations({ identifier: "LimitUse", description: "A limit of the plan, and how much of it is used" })

/** The use of the limits that are used up. */
const Usage = Schema.Struct({
  requests_per_minute: field(LimitUse, "Requests of this key in the last 60 seconds, with this one"),
  runs_per_hour: field(LimitUse, "Crawls that the account started in the last hour"),
  runs_at_once: field(LimitUse, "Crawls of the account in progress; a crawl frees its place when it ends"),
  keys: field(LimitUse, "Usable API keys of the account, without keys of console sessions"),
  looks_per_day: field(LimitUse, "Backlink checks of the account today (UTC)"),
  projects: field(LimitUse, "Sites of the account")
}).annotations({ identifier: "PlanUsage", description: "How much of the plan's limits is used" })

/** The holder's view of a key, with the limits of its account's plan and their use. */
export const OwnKey = Schema.Struct({
  ...keyFields,
  grants: Schema.Array(Schema.String).annotations({
    description: "All scopes that the key grants, by name, including those in `*` and in other scopes"
  }),
  account: field(
    Schema.Struct({
      id: AccountId.annotations({ description: "UUID of the account" }),
      name: Schema.String.annotations({ description: "Name of the account" })
    }).annotations({ identifier: "KeyAccount", description: "An account, by id and name" }),
    "Account that the key belongs to"
  ),
  plan: Plan.annotations({ description: "Plan of the account" }),
  limits: field(
    Schema.Struct({
      requests_per_minute: Schema.Int.annotations({ description: "Requests per 60 seconds" }),
      requests_per_second: Schema.Int.annotations({ description: "Requests per second" }),
      runs_per_hour: Schema.Int.annotations({ description: "Crawls started per hour" }),
      runs_at_once: Schema.Int.annotations({ description: "Crawls in progress at the same time" }),
      pages_per_run: Schema.Int.annotations({ description: "Pages per crawl" }),
      keys: Schema.Int.annotations({ description: "Usable API keys, when created through the API" }),
      looks_per_day: Schema.Int.annotations({ description: "Backlink checks per day (UTC)" }),
      projects: Schema.Int.annotations({ description: "Sites, when added through the API" })
    }).annotations({ identifier: "PlanLimits", description: "What a plan allows" }),
    "What the plan allows"
  ),
  usage: field(Usage, "How much of it is used")
}).annotations({ identifier: "ApiKey", description: "The API key in use, with the limits of its plan and their use" })
export type OwnKey = typeof OwnKey.Type
