import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../foundation/http/Contract.ts"
import { answerList } from "../accounts/Exports.ts"
import { answer, byCreation, whole } from "../accounts/Handlers.ts"
import { IdempotentCreate } from "../accounts/Idempotency.ts"
import { FilesRepo, fileHandlers } from "../files/Files.ts"
import { Projects } from "../projects/Projects.ts"
import { BacklinkImportsApi, BacklinksApi } from "./Api.ts"
import { domainOf } from "./BacklinkFile.ts"
import { Backlinks } from "./Backlinks.ts"
import { Backlink, BacklinkImport, Change, ReferringDomain } from "./Domain.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(BacklinksApi), "backlinks", (handlers) =>
  Effect.gen(function* () {
    const backlinks = yield* Backlinks
    return handlers
      .handle("list", ({ path: { project_id }, urlParams }) => {
        const { cursor, domain, limit, rel, source, state, target_path: targetPath } = urlParams
        const filters = {
          domain: domain === undefined ? undefined : (domainOf(domain) ?? domain),
          rel,
          source,
          state,
          targetPath
        }
        return answerList(
          {
            read: (account, batch) =>
              Effect.map(backlinks.list(account, project_id, filters, batch), (rows) =>
                rows.map(({ created_at, ...record }) => ({ created_at, id: record.id, record }))
              ),
            columns: Object.keys(Backlink.fields),
            json: ({ record }) => JSON.stringify(record),
            position: byCreation,
            query: {
              cursor,
              limit,
              of: [
                "backlinks",
                project_id,
                state ?? "",
                rel ?? "",
                filters.domain ?? "",
                targetPath ?? "",
                source ?? ""
              ]
            }
          },
          ({ data, links, meta }) => Effect.succeed({ data: data.map(({ record }) => record), links, meta })
        )
      })
      .handle("domains", ({ path: { project_id }, urlParams }) =>
        answerList(
          {
            read: (account, batch) => backlinks.domains(account, project_id, batch),
            columns: Object.keys(ReferringDomain.fields),
            json: (domain) => JSON.stringify(domain),
            position: ({ domain }) => [domain],
            query: { ...urlParams, of: ["backlink-domains", project_id] }
          },
          (page) => Effect.succeed(page)
        )
      )
      .handle("changes", ({ path: { project_id }, urlParams: { cursor, kind, limit, since } }) =>
        answerList(
          {
            read: (account, batch) =>
              Effect.map(backlinks.changes(account, project_id, { kind, since }, batch), (rows) =>
                rows.map(({ created_at, ...record }) => ({ created_at, id: record.id, record }))
              ),
            columns: Object.keys(Change.fields),
            json: ({ record }) => JSON.stringify(record),
            position: byCreation,
            query: {
              cursor,
              limit,
              of: ["backlink-changes", project_id, kind ?? "", since === undefined ? "" : DateTime.formatIso(since)]
            }
          },
          ({ data, links, meta }) => Effect.succeed({ data: data.map(({ record }) => record), links, meta })
        )
      )
      .handle(
        "check",
        ({ path: { backlink_id, project_id } }) =>
          answer((account) => backlinks.check(account, project_id, backlink_id)),
        whole
      )
      .handle(
        "checkDue",
        ({ path: { project_id } }) => answer((account) => backlinks.checkDue(account, project_id)),
        whole
      )
  })
).pipe(Layer.provide(Backlinks.Default))

/** Maximum bytes of a file: enough for over a million rows of any export, packed or not. */
const most = 256 * 1024 * 1024

export const importsLayer = HttpApiBuilder.group(apiRoot.add(BacklinkImportsApi), "backlink-imports", (handlers) =>
  Effect.gen(function* () {
    const { create, get, list } = yield* fileHandlers({ kind: "backlinks", most, View: BacklinkImport })
    return handlers
      .handle("create", (request) => create(request, { format: request.urlParams.format }))
      .handle("list", list)
      .handle("get", get)
  })
).pipe(Layer.provide([FilesRepo.Default, IdempotentCreate.Default, Projects.Default]))
