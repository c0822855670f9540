import * as HttpApiMiddleware from "@effect/platform/HttpApiMiddleware"
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import type { AccountId, KeyId } from "./Domain.ts"

/** The sender of the request. Only the middlewares below provide it, so no request without a key and its scope reaches a handler that needs an owner. */
export class Caller extends Context.Tag("accounts/Caller")<
  Caller,
  {
    readonly accountId: AccountId
    /** Null when the embedding program identifies its callers itself. */
    readonly keyId: KeyId | null
    /** The given scopes of the caller. */
    readonly scopes: ReadonlyArray<string>
  }
>() {}

/**
 * The caller of a node's request to itself as a part of another request. The outer request has passed the checks of key and limits, so only the scopes are
 * checked.
 */
export class Admitted extends Context.Reference<Admitted>()("accounts/Admitted", {
  defaultValue: (): Option.Option<Caller["Type"]> => Option.none()
}) {}

const General = Schema.Union(
  failure("unauthorized"),
  failure("insufficient_scope"),
  failure("validation_error"),
  failure("rate_limit_exceeded")
)

const SiteHealth = Schema.Union(
  failure("missing_key", "invalid_key", "revoked_key", "auth_unavailable"),
  failure("insufficient_scope"),
  failure("validation_error"),
  failure("rate_limit_exceeded")
)

const general = { failure: General, provides: Caller } as const
const siteHealth = { failure: SiteHealth, provides: Caller } as const

/** For endpoints that are open to every key. */
export class AnyKey extends HttpApiMiddleware.Tag<AnyKey>()("scope/any", general) {}

/** For endpoints that are open to every key and count no request against its limits. The IP address is limited as for requests without a key. */
export class UncountedKey extends HttpApiMiddleware.Tag<UncountedKey>()("key/uncounted", general) {}

/** For endpoints without a key. The IP address is limited. */
export class Keyless extends HttpApiMiddleware.Tag<Keyless>()("key/none", {
  failure: Schema.Union(failure("validation_error"), failure("rate_limit_exceeded"))
}) {}

// One middleware per scope: the contract of an endpoint names the scope that its key needs.
export class ProjectsRead extends HttpApiMiddleware.Tag<ProjectsRead>()("scope/projects:read", general) {}
export class ProjectsWrite extends HttpApiMiddleware.Tag<ProjectsWrite>()("scope/projects:write", general) {}
export class KeywordsRead extends HttpApiMiddleware.Tag<KeywordsRead>()("scope/keywords:read", general) {}
export class RankingsWrite extends HttpApiMiddleware.Tag<RankingsWrite>()("scope/rankings:write", general) {}
export class AuditsRead extends HttpApiMiddleware.Tag<AuditsRead>()("scope/audits:read", general) {}
export class AuditsWrite extends HttpApiMiddleware.Tag<AuditsWrite>()("scope/audits:write", general) {}
export class ExperimentsRead extends HttpApiMiddleware.Tag<ExperimentsRead>()("scope/experiments:read", general) {}
export class ExperimentsWrite extends HttpApiMiddleware.Tag<ExperimentsWrite>()("scope/experiments:write", general) {}
export class BacklinksRead extends HttpApiMiddleware.Tag<BacklinksRead>()("scope/backlinks:read", general) {}
export class BacklinksWrite extends HttpApiMiddleware.Tag<BacklinksWrite>()("scope/backlinks:write", general) {}
export class GeoRead extends HttpApiMiddleware.Tag<GeoRead>()("scope/geo:read", general) {}
export class GeoWrite extends HttpApiMiddleware.Tag<GeoWrite>()("scope/geo:write", general) {}
export class InterventionsRead extends HttpApiMiddleware.Tag<InterventionsRead>()(
  "scope/interventions:read",
  general
) {}
export class InterventionsWrite extends HttpApiMiddleware.Tag<InterventionsWrite>()(
  "scope/interventions:write",
  general
) {}
export class KeysManage extends HttpApiMiddleware.Tag<KeysManage>()("scope/keys:manage", general) {}
export class WebhooksRead extends HttpApiMiddleware.Tag<WebhooksRead>()("scope/webhooks:read", general) {}
export class WebhooksManage extends HttpApiMiddleware.Tag<WebhooksManage>()("scope/webhooks:manage", general) {}
export class SiteHealthRead extends HttpApiMiddleware.Tag<SiteHealthRead>()("scope/site-health:read", siteHealth) {}
export class SiteHealthWrite extends HttpApiMiddleware.Tag<SiteHealthWrite>()("scope/site-health:write", siteHealth) {}
