"""What the plugin asks of the owner API beyond one request."""

import unittest

from hermes.owner import OwnerClient


class Paged(OwnerClient):
    """A hub whose list of devices comes in pages."""

    def __init__(self, pages):
        self.pages, self.asked = list(pages), []

    def get(self, call):
        self.asked.append(call)
        return self.pages.pop(0)


class Devices(unittest.TestCase):
    def test_all_pages_are_read(self):
        hub = Paged([{"devices": [1, 2], "next": "hg-2"}, {"devices": [3], "next": "hg-3"}, {"devices": []}])
        self.assertEqual(hub.devices(), {"devices": [1, 2, 3]})
        self.assertEqual(hub.asked, ["devices", "devices?after=hg-2", "devices?after=hg-3"])

    def test_only_those_that_are_there(self):
        hub = Paged([{"devices": [1], "next": "hg-1"}, {"devices": []}])
        self.assertEqual(hub.devices(only_online=True), {"devices": [1]})
        self.assertEqual(hub.asked, ["devices?online=true", "devices?after=hg-1&online=true"])


if __name__ == "__main__":
    unittest.main()
