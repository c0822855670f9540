import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import {
  about,
  BodyLimit,
  BodyText,
  body,
  Created,
  Data,
  described,
  IdempotencyHeaders,
  inPath,
  list,
  read,
  remove
} from "../../foundation/http/Contract.ts"
import { field, webUrl } from "../../foundation/schema/Scalars.ts"
import { InterventionsRead, InterventionsWrite } from "../accounts/Authorized.ts"
import { ProjectId } from "../projects/Domain.ts"
import { bodyBytes, Intervention, InterventionId, NewIntervention, RollBack } from "./Domain.ts"

const all = "/projects/:project_id/interventions" as const
const one = `${all}/:intervention_id` as const
const OfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const OfIntervention = Schema.Struct({ ...OfProject.fields, intervention_id: inPath(InterventionId) })

/** Changes of a site. */
export class InterventionsApi extends HttpApiGroup.make("interventions")
  .annotateContext(
    about("Changes to a site: proposed through GitHub or written to WordPress, verified on the site, and rolled back.")
  )
  .add(
    HttpApiEndpoint.post("create", all)
      .annotateContext(
        described(
          "Change a site",
          "`github` opens a pull request on its own branch; when a file differs from `expected_sha`, returns 409 and writes nothing. `wordpress` writes a title or meta fields, reads them back and checks the page; fields that WordPress does not accept return 422, and nothing is written. `recorded` records a change made elsewhere. Returns 409 without the connector or when GitHub or WordPress rejects the change. When they do not respond, returns 503 if nothing was started, otherwise 201 with the reason in `error`. Findable sends a write once and reads back what happened: 201 with `deployed`, `merged` or `conflict`. Files with executable code are rejected."
        )
      )
      .annotate(BodyLimit, bodyBytes.all)
      .annotate(BodyText, bodyBytes.text)
      .setPath(OfProject)
      .setHeaders(IdempotencyHeaders)
      .setPayload(body(NewIntervention))
      .addSuccess(Created(Intervention), { status: 201 })
      .addSuccess(Created(Intervention))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict", "idempotency_conflict"))
      .middleware(InterventionsWrite)
  )
  .add(
    list("list", all, {
      summary: "List changes",
      description: "Changes to a site, latest first (`created_at`, then `id`).",
      of: Intervention,
      scope: InterventionsRead
    })
      .setPath(OfProject)
      .addError(failure("not_found"))
  )
  .add(
    read("get", one, {
      summary: "Get a change",
      description: "Returns a change with its status.",
      ids: OfIntervention,
      of: Intervention,
      scope: InterventionsRead
    })
  )
  .add(
    HttpApiEndpoint.post("rollBack", `${one}/roll-back`)
      .annotateContext(
        described(
          "Roll back a change",
          "Closes an open pull request and deletes its branch. For a merged one, opens a second pull request that restores the files; the change is `rolled_back` when that one is merged. In WordPress, restores the previous values. When somebody changed the file or value since, returns 409 and writes nothing. Findable sends each write once. A `conflict` after a write can be rolled back too. While a rollback is in progress, returns its current status."
        )
      )
      .setPath(OfIntervention)
      .setPayload(body(RollBack))
      .addSuccess(Data(Intervention))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .addError(failure("conflict"))
      .middleware(InterventionsWrite)
  )
  .add(
    HttpApiEndpoint.post("refresh", `${one}/refresh`)
      .annotateContext(
        described(
          "Recheck a change",
          "Updates the status from GitHub or WordPress now instead of in a few minutes. For a merged or not verified change, also checks the site once more; a crawl for this check counts toward the quotas."
        )
      )
      .setPath(OfIntervention)
      .addSuccess(Data(Intervention))
      .addError(failure("not_found"))
      .middleware(InterventionsWrite)
  )
  .prefix("/api/v1") {}

/** Whether credentials are stored. */
export const Configured = Schema.Struct({
  configured: Schema.Boolean.annotations({ description: "Whether credentials are stored; they are never returned" })
}).annotations({ identifier: "ConnectorState", description: "Whether a connector has credentials" })

const secret = (accepts: RegExp, message: string) =>
  Schema.Redacted(Schema.String.pipe(Schema.pattern(accepts, { message: () => message })))

const PutGitHub = Schema.Struct({
  token: secret(/^[\x21-\x7e]{1,500}$/, "must be a token of 1 to 500 characters without spaces").annotations({
    description: "GitHub token that can read and write contents and pull requests of the repositories; stored encrypted"
  })
}).annotations({ identifier: "PutGitHubConnector", description: "A GitHub token" })

const isSite = (address: string) => {
  const url = webUrl(address)
  return address.length <= 2048 && url._tag === "Some" && url.value.search === "" && url.value.hash === ""
}

const PutWordPress = Schema.Struct({
  url: field(
    Schema.String.pipe(
      Schema.filter(isSite, {
        jsonSchema: { format: "uri", maxLength: 2048 },
        message: () => "must be an http or https URL without credentials, query and fragment, at most 2048 characters"
      })
    ),
    "URL of the WordPress site; Findable sends the credentials only to this origin. Use https"
  ),
  username: field(
    Schema.String.pipe(
      Schema.filter((text) => /^[^:\p{Cc}]{1,200}$/u.test(text) && text.isWellFormed(), {
        jsonSchema: { maxLength: 200, minLength: 1, pattern: "^[^:]+$" },
        message: () => "must be 1 to 200 characters without a colon"
      })
    ),
    "WordPress user of the application password"
  ),
  application_password: secret(/^[\x20-\x7e]{1,200}$/, "must be 1 to 200 printable ASCII characters").annotations({
    description: "Application password of that user; stored encrypted"
  })
}).annotations({ identifier: "PutWordPressConnector", description: "A WordPress application password and its site" })
export type PutWordPress = typeof PutWordPress.Type

const ConnectorsOfProject = Schema.Struct({ project_id: inPath(ProjectId) })
const github = "/projects/:project_id/connectors/github" as const
const wordpress = "/projects/:project_id/connectors/wordpress" as const

/** Credentials for changing sites. */
export class ConnectorsApi extends HttpApiGroup.make("connectors")
  .annotateContext(about("Credentials for changing sites through GitHub and WordPress."))
  .add(
    read("getGitHub", github, {
      summary: "Get the GitHub connection",
      description: "Returns whether the site has a GitHub token.",
      ids: ConnectorsOfProject,
      of: Configured,
      scope: InterventionsWrite
    })
  )
  .add(
    HttpApiEndpoint.put("putGitHub", github)
      .annotateContext(
        described(
          "Connect to GitHub",
          "Stores a GitHub token, encrypted. It replaces the previous token, and changes that wait for a token continue. GitHub checks the token at the first change."
        )
      )
      .setPath(ConnectorsOfProject)
      .setPayload(body(PutGitHub))
      .addSuccess(Data(Configured))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(InterventionsWrite)
  )
  .add(
    remove("removeGitHub", github, {
      summary: "Disconnect from GitHub",
      description: "Deletes the token. Changes stay; changes in progress wait for a new token.",
      ids: ConnectorsOfProject,
      scope: InterventionsWrite
    })
  )
  .add(
    read("getWordPress", wordpress, {
      summary: "Get the WordPress connection",
      description: "Returns whether the site has a WordPress application password.",
      ids: ConnectorsOfProject,
      of: Configured,
      scope: InterventionsWrite
    })
  )
  .add(
    HttpApiEndpoint.put("putWordPress", wordpress)
      .annotateContext(
        described(
          "Connect to WordPress",
          "Stores an application password, encrypted, with the URL of the WordPress site, which must be public. It replaces the previous one."
        )
      )
      .setPath(ConnectorsOfProject)
      .setPayload(body(PutWordPress))
      .addSuccess(Data(Configured))
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(InterventionsWrite)
  )
  .add(
    remove("removeWordPress", wordpress, {
      summary: "Disconnect from WordPress",
      description: "Deletes the application password. Changes stay; changes in progress wait for a new one.",
      ids: ConnectorsOfProject,
      scope: InterventionsWrite
    })
  )
  .prefix("/api/v1") {}
