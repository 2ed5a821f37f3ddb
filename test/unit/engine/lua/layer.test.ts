import { expect, test, vi } from "vitest";
import { LuaLayer } from "../../../../src/engine/lua/layer.ts";
import { LuaVm } from "../../../../src/engine/lua/vm.ts";
import { createRig } from "./rig.ts";

const DENIES = `orcs.hook{ point = "tool.pre_execute", handler = function() return orcs.deny("no") end }`;

test("LuaLayer: concurrent open calls share one VM", async () => {
  const create = vi.spyOn(LuaVm, "create");
  let layer: LuaLayer | undefined;
  const rig = await createRig({
    layer: (ports) => {
      layer = new LuaLayer(ports);
      void layer.open();
      return layer;
    },
  });
  // What comes late must not put another VM in the place of the one that scripts are in.
  await rig.load(DENIES);
  await layer?.open();
  for (let i = 0; i < 20; i++) await rig.load(DENIES);
  expect(create).toHaveBeenCalledTimes(1);
  expect(await rig.call({})).toMatchObject({ action: "abort", reason: "no" });
});

const noRoom = (): never => {
  throw new RangeError("no room");
};

test("LuaLayer: a failed VM creation is retried", async () => {
  const create = vi.spyOn(LuaVm, "create").mockImplementationOnce(noRoom);
  await expect(createRig()).rejects.toThrow("no room");
  const layers: LuaLayer[] = [];
  create.mockImplementationOnce(noRoom);
  const failed = createRig({
    layer: (ports) => {
      layers.push(new LuaLayer(ports));
      return layers[0] as LuaLayer;
    },
  });
  await expect(failed).rejects.toThrow("no room");
  await expect(layers[0]?.open()).resolves.toBeUndefined();
});
