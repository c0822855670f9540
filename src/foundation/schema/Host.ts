/** A host name for comparisons: without `www.`, unless only one label would remain. */
export const bareHost = (host: string): string => host.toLowerCase().replace(/^www\.(?=[^.]+\.)/, "")
