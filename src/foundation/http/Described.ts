import * as OpenApi from "@effect/platform/OpenApi"

/** What an endpoint does, for the reference: a name of a few words, and what its caller should know. Scope, limits and errors are added from the contract. */
export const described = (summary: string, description: string) => OpenApi.annotations({ description, summary })

/** What a group of endpoints is about. */
export const about = (description: string) => OpenApi.annotations({ description })
