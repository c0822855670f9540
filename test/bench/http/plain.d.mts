export declare const paths: ReadonlyArray<string>
export declare const respond: (path: string, key: string) => Promise<readonly [status: number, body: string]>
