import { memoryCredentialStore } from "allspeak/auth";
import { fileCredentialStore } from "allspeak/node";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { describeCredentialStore } from "./credential-store.ts";

describeCredentialStore("memory", () => {
  const store = memoryCredentialStore();
  return () => store;
});

describeCredentialStore("file", () => {
  const folder = createTemporaryFolder();
  return () => fileCredentialStore({ folder });
});
