import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { apiRoot } from "../../../../foundation/http/Contract.ts"
import { answer, forCaller, whole } from "../../../accounts/Handlers.ts"
import { ConnectorsApi } from "./Api.ts"
import { Connectors } from "./Connectors.ts"

export const layer = HttpApiBuilder.group(apiRoot.add(ConnectorsApi), "connectors", (handlers) =>
  Effect.gen(function* () {
    const { get, putGitHub, putWordPress, remove } = yield* Connectors
    return handlers
      .handle("getGitHub", ({ path: { project_id } }) => answer((account) => get("github")(account, project_id)))
      .handle(
        "putGitHub",
        ({ path: { project_id }, payload: { token } }) => answer((account) => putGitHub(account, project_id, token)),
        whole
      )
      .handle(
        "removeGitHub",
        ({ path: { project_id } }) => forCaller((account) => remove("github")(account, project_id)),
        whole
      )
      .handle("getWordPress", ({ path: { project_id } }) => answer((account) => get("wordpress")(account, project_id)))
      .handle(
        "putWordPress",
        ({ path: { project_id }, payload }) => answer((account) => putWordPress(account, project_id, payload)),
        whole
      )
      .handle(
        "removeWordPress",
        ({ path: { project_id } }) => forCaller((account) => remove("wordpress")(account, project_id)),
        whole
      )
  })
).pipe(Layer.provide(Connectors.Default))
